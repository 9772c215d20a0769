module raftkv

go 1.19

require simrun v0.0.0

replace simrun => ../../sdk/go
