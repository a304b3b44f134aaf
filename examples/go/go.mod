module example.test/tapedeck

go 1.19
