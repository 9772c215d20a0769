module flaky

go 1.19
