/** Where webhooks may not go, as hosts of a URL; why, as the error names it. */
export const badAddresses: ReadonlyArray<readonly [host: string, why: RegExp]> = [
  ["0.0.0.0", /an unspecified address/],
  ["0.1.2.3", /an unspecified address/],
  ["10.0.0.1", /a private address/],
  ["10.255.255.255", /a private address/],
  ["172.16.0.1", /a private address/],
  ["172.31.255.255", /a private address/],
  ["192.168.0.1", /a private address/],
  ["100.64.0.1", /an address of a carrier's network/],
  ["100.127.255.254", /an address of a carrier's network/],
  ["169.254.1.1", /a link-local address/],
  ["192.0.0.1", /a reserved address/],
  ["192.0.2.1", /a reserved address/],
  ["192.31.196.1", /a reserved address/],
  ["192.52.193.1", /a reserved address/],
  ["192.88.99.1", /a reserved address/],
  ["192.175.48.1", /a reserved address/],
  ["198.18.0.1", /a reserved address/],
  ["198.19.255.255", /a reserved address/],
  ["198.51.100.1", /a reserved address/],
  ["203.0.113.1", /a reserved address/],
  ["224.0.0.1", /a multicast address/],
  ["239.255.255.255", /a multicast address/],
  ["240.0.0.1", /a reserved address/],
  ["255.255.255.255", /a broadcast address/],
  ["[::]", /an unspecified address/],
  ["[fe80::1]", /a link-local address/],
  ["[febf::1]", /a link-local address/],
  ["[fec0::1]", /a private address/],
  ["[fc00::1]", /a private address/],
  ["[fdff::1]", /a private address/],
  ["[ff02::1]", /a multicast address/],
  ["[100::1]", /a reserved address/],
  ["[2001:db8::1]", /a reserved address/],
  ["[3fff::1]", /a reserved address/],
  ["[2001:2::1]", /a reserved address/],
  ["[2001:10::1]", /a reserved address/],
  ["[2001:20::1]", /a reserved address/],
  ["[5f00::1]", /a reserved address/],
  ["[4000::1]", /a reserved address/],
  ["[64:ff9b::a00:1]", /NAT64/],
  ["[64:ff9b::10.0.0.1]", /NAT64/],
  ["[64:ff9b:1::a00:1]", /NAT64/],
  ["[64:ff9b:1:ffff::a00:1]", /NAT64/],
  ["[2002:a00:1::]", /6to4/],
  ["[2001:0:a00:1::1]", /Teredo/],
  ["[::ffff:10.0.0.1]", /an IPv4 address in IPv6 spelling/],
  ["[::ffff:a00:1]", /an IPv4 address in IPv6 spelling/],
  ["[::10.0.0.1]", /a reserved address/],
  ["[::ffff:0:10.0.0.1]", /an IPv4 address in IPv6 spelling/],
  // Public addresses in these spellings too: what translates them may reach what we may not.
  ["[::ffff:8.8.8.8]", /an IPv4 address in IPv6 spelling/],
  ["[64:ff9b::8.8.8.8]", /NAT64/],
  ["[2002:808:808::]", /6to4/]
]

/** Where cloud machines tell their secrets. */
export const metadataAddresses: ReadonlyArray<readonly [host: string, why: RegExp]> = [
  ["169.254.169.254", /a link-local address/],
  ["169.254.170.2", /a link-local address/],
  ["100.100.100.200", /an address of a carrier's network/],
  ["192.0.0.192", /a reserved address/],
  ["168.63.129.16", /a cloud provider's service address/],
  ["161.26.0.0", /a cloud provider's service address/],
  ["161.26.255.255", /a cloud provider's service address/],
  ["166.8.0.0", /a cloud provider's service address/],
  ["166.11.255.255", /a cloud provider's service address/],
  ["[fd00:ec2::254]", /a private address/],
  ["[fe80::a9fe:a9fe]", /a link-local address/],
  ["[::ffff:169.254.169.254]", /an IPv4 address in IPv6 spelling/]
]

/** 10.0.0.1 in spellings that are unusual, but valid in a URL. */
export const oddSpellings: ReadonlyArray<readonly [host: string, why: RegExp]> = [
  ["0xa.1", /10\.0\.0\.1: it is a private address/],
  ["0x0a000001", /10\.0\.0\.1: it is a private address/],
  ["167772161", /10\.0\.0\.1: it is a private address/],
  ["012.0.0.1", /10\.0\.0\.1: it is a private address/],
  ["0012.0000.0.01", /10\.0\.0\.1: it is a private address/],
  ["10.1", /10\.0\.0\.1: it is a private address/],
  ["10.0.1", /10\.0\.0\.1: it is a private address/],
  ["10.0.0.1.", /10\.0\.0\.1: it is a private address/],
  ["%31%30.0.0.1", /10\.0\.0\.1: it is a private address/],
  ["１０.0.0.1", /10\.0\.0\.1: it is a private address/],
  ["10。0。0。1", /10\.0\.0\.1: it is a private address/],
  ["⑩.0.0.①", /10\.0\.0\.1: it is a private address/],
  ["[0:0:0:0:0:ffff:10.0.0.1]", /an IPv4 address in IPv6 spelling/],
  ["[FE80::1]", /a link-local address/],
  ["[0000:0000::ffff:0a00:0001]", /an IPv4 address in IPv6 spelling/]
]

/** This machine, in any spelling. */
export const loopbackSpellings: ReadonlyArray<string> = [
  "127.0.0.1",
  "127.0.0.1.",
  "127.255.255.254",
  "127.1",
  "0x7f.1",
  "0x7f000001",
  "2130706433",
  "0177.0.0.1",
  "017700000001",
  "%31%32%37.0.0.1",
  "１２７.0.0.1",
  "①②⑦.0.0.1",
  "127。0。0。1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "anything.localhost",
  "%6cocalhost",
  "ｌｏｃａｌｈｏｓｔ"
]

/** Loopback in IPv4's IPv6 spelling: what may call this machine may call it so. */
export const mappedLoopback: ReadonlyArray<readonly [host: string, why: RegExp]> = [
  ["[::ffff:127.0.0.1]", /an IPv4 address in IPv6 spelling/],
  ["[::ffff:7f00:1]", /an IPv4 address in IPv6 spelling/]
]

/** Loopback embedded in an address of another kind. */
export const wrappedLoopback: ReadonlyArray<readonly [host: string, why: RegExp]> = [
  ["[::127.0.0.1]", /a reserved address/],
  ["[64:ff9b::7f00:1]", /NAT64/],
  ["[64:ff9b:1::7f00:1]", /NAT64/],
  ["[2002:7f00:1::]", /6to4/]
]

/** URLs that are not what they look like, or that cannot be parsed. */
export const trickyUrls: ReadonlyArray<readonly [url: string, why: RegExp]> = [
  ["https://good.example@10.0.0.1/", /user name or password/],
  ["https://good.example:443@10.0.0.1/", /user name or password/],
  ["https://10.0.0.1@good.example/", /user name or password/],
  ["https://good.example%00@10.0.0.1/", /user name or password/],
  ["https:10.0.0.1/hook", /a private address/],
  ["https:\\\\10.0.0.1\\@good.example/", /a private address/],
  ["https://10.0.0.1#@good.example/", /a private address/],
  ["https://10.0.0.1?@good.example/", /a private address/],
  ["https://1\t0.0.0.\n1/", /a private address/],
  ["https://[fe80::1%25eth0]/", /cannot be read/],
  ["https://[fe80::1%eth0]/", /cannot be read/],
  ["https://10.0.0.256/", /cannot be read/],
  ["https://10.0.0.1.2/", /cannot be read/],
  ["https://0x100000000/", /cannot be read/],
  ["https:///", /cannot be read/],
  ["https://%31%30%2e0.0.1:99999/", /cannot be read/],
  ["not a url", /cannot be read/],
  ["", /cannot be read/]
]

/** Schemes other than HTTPS, to any host. */
export const otherSchemes: ReadonlyArray<string> = [
  "http://good.example/",
  "http://127.0.0.1/",
  "ftp://good.example/",
  "file:///etc/passwd",
  "gopher://good.example/",
  "ws://good.example/",
  "data:text/plain,hello",
  "javascript:alert(1)"
]

/** Of the public internet, as near to what is not as can be. */
export const publicAddresses: ReadonlyArray<string> = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "161.25.255.255",
  "161.27.0.0",
  "166.7.255.255",
  "166.12.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "[2606:4700::1111]",
  "[2a00:1450::1]"
]
