module tapedeck.test/tapedecktest

go 1.19
