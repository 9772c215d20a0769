module simrun

go 1.19
