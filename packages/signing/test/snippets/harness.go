package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"harness/tapedeck"
)

func bytes(encoded string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		panic(err)
	}
	return decoded
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		fields := strings.Split(scanner.Text(), "\t")
		var secrets []string
		for _, each := range strings.Split(fields[3], ",") {
			if each != "" {
				secrets = append(secrets, string(bytes(each[1:])))
			}
		}
		header := http.Header{}
		for _, each := range strings.Split(fields[5], ",") {
			if name, value, found := strings.Cut(each, ":"); found {
				header.Set(name, string(bytes(value)))
			}
		}
		body := bytes(fields[4])
		now, _ := strconv.ParseInt(fields[2], 10, 64)
		switch fields[0] {
		case "folder":
			fmt.Println(tapedeck.VerifyFolder(body, header, secrets, fields[1]))
		case "audit":
			fmt.Println(tapedeck.VerifyAudit(body, header, secrets))
		default:
			fmt.Println(tapedeck.VerifyStandard(body, header, secrets, time.Unix(now, 0)))
		}
	}
}
