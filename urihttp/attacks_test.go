package urihttp

// An attack is a request target that some software reads as one below "/admin", or a Host field that
// some software reads as "admin.test" or 127.0.0.1, although a plain rule does not.
type attack struct {
	target string
	source string // who was attacked in this way, or who published it
	host   string // "front.test" if empty
}

// Published research is named by author and year: see doc.go.
//
// A CVE number names software that was attacked with the same trick, perhaps with other names in the path.
// The escapes in "Tsai 2018, escaped twice" are ours, the rest of the target was published.
var attacks = []attack{
	// Dot segments.
	{target: "/public/../admin/x", source: "Citrix CVE-2019-19781"},
	{target: "/./admin/x", source: "ManageEngine CVE-2021-40539"},
	{target: "/public/./../admin/x", source: "Envoy CVE-2019-9901"},
	{target: "/public/a/../../admin/x", source: "Grafana CVE-2021-43798"},
	{target: "/../admin/x", source: "RFC 3986 section 5.4.2"},
	{target: "/public/../../admin", source: "RFC 3986 section 5.4.2"},
	{target: "/public/..//admin/x", source: "Istio CVE-2021-31920"},
	{target: "/public/%2e%2e/admin/x", source: "Apache CVE-2021-41773"},
	{target: "/public/.%2e/admin/x", source: "Apache CVE-2021-41773"},
	{target: "/public/%2E./admin/x", source: "Apache CVE-2021-41773"},
	{target: "/public/a/%2e%2e/%2e%2e/admin/x", source: "Apache CVE-2021-41773"},
	{target: "/%2e/admin/x", source: "Jetty CVE-2021-28164"},
	{target: "/public/%2e/../admin/x", source: "Jetty CVE-2021-28164"},
	{target: "/public/.%%32%65/admin/x", source: "Apache CVE-2021-42013"},
	{target: "/a/%%32%65%%32%65/admin/x", source: "Apache CVE-2021-42013"},
	{target: "/public../admin/x", source: "nginx alias, Tsai 2018"},

	// Escaped slashes and backslashes.
	{target: "/%2fadmin/x", source: "Istio CVE-2021-31920"},
	{target: "/%2Fadmin%2Fx", source: "Envoy CVE-2021-29492"},
	{target: "/public/..%2fadmin/x", source: "uWSGI CVE-2018-7490"},
	{target: "/public%2f..%2fadmin%2fx", source: "Envoy CVE-2021-29492"},
	{target: "/public/%2e%2e%2fadmin/x", source: "Tomcat CVE-2007-0450"},
	{target: "/public/a/..%2f..%2fadmin/x", source: "uWSGI CVE-2018-7490"},
	{target: "/public%2F%2E%2E/admin/x", source: "Envoy CVE-2021-29492"},
	{target: "/public/..%5cadmin/x", source: "Tomcat CVE-2007-0450"},
	{target: "/public%5c..%5cadmin%5cx", source: "Spring CVE-2018-1271"},
	{target: "/%5cadmin/x", source: "Envoy CVE-2021-29492"},
	{target: "/public/%2e%2e%5Cadmin/x", source: "Spring CVE-2018-1271"},
	{target: "/public/..\\admin/x", source: "Tomcat CVE-2007-0450"},
	{target: "/public\\..\\admin\\x", source: "Spring CVE-2018-1271"},
	{target: "/\\admin/x", source: "Django CVE-2014-3730"},

	// Several slashes.
	{target: "//admin/x", source: "Istio CVE-2021-31920"},
	{target: "///admin/x", source: "Istio CVE-2021-31920"},
	{target: "/.//admin/x", source: "Istio CVE-2021-31920"},
	{target: "/public//../admin/x", source: "Tsai 2018"},
	{target: "//front.test/admin/x", source: "Django CVE-2018-14574"},
	{target: "/%2f%2fadmin/x", source: "Istio CVE-2021-31920"},

	// Decoded twice.
	{target: "/%2561dmin/x", source: "Jetty CVE-2021-28169"},
	{target: "/public/%252e%252e/admin/x", source: "Sprockets CVE-2018-3760"},
	{target: "/public/%252e%252e%252fadmin/x", source: "WebLogic CVE-2020-14882"},
	{target: "/public/..%252fadmin/x", source: "Spring CVE-2019-3799"},
	{target: "/public/..%252f..%252fadmin/x", source: "Spring CVE-2020-5410"},
	{target: "/%252fadmin/x", source: "Spring CVE-2020-5410"},
	{target: "/public/..%255cadmin/x", source: "IIS CVE-2001-0333"},
	{target: "/public/..%25%35%63admin/x", source: "IIS CVE-2001-0333"},
	{target: "/public/..%%35cadmin/x", source: "IIS CVE-2001-0333"},
	{target: "/public/..%%35%63admin/x", source: "IIS CVE-2001-0333"},
	{target: "/public/%252e%252e%253b/admin/x", source: "Tsai 2018, escaped twice"},
	{target: "/admin%252fx", source: "Jetty CVE-2021-28169"},

	// Path parameters.
	{target: "/public/..;/admin/x", source: "F5 CVE-2020-5902"},
	{target: "/public/..;a=b/admin/x", source: "Tsai 2018"},
	{target: "/public;a=b/..;x=y/admin/x", source: "Tsai 2018"},
	{target: "/public/.;/..;/admin/x", source: "Envoy CVE-2026-73551"},
	{target: "/.;/admin/x", source: "Envoy CVE-2026-73551"},
	{target: "/;/admin/x", source: "Shiro CVE-2020-11989"},
	{target: "/;jsessionid=1/admin/x", source: "Shiro CVE-2020-11989"},
	{target: "/admin;/x", source: "Shiro CVE-2020-1957"},
	{target: "/admin;jsessionid=1/x", source: "Undertow CVE-2020-1757"},
	{target: "/admin;a=b", source: "Undertow CVE-2020-1757"},
	{target: "/public/%2e%2e;/admin/x", source: "Envoy CVE-2026-73551"},
	{target: "/public/.%2e;a=b/admin/x", source: "Envoy CVE-2026-73551"},
	{target: "/public/..%3b/admin/x", source: "Shiro CVE-2020-13933"},
	{target: "/admin%3bx/y", source: "Shiro CVE-2020-13933"},
	{target: "/public/..;%2fadmin/x", source: "Tsai 2018, escaped slash"},
	{target: "/public/..;/..;/admin/x", source: "F5 CVE-2020-5902"},

	// Characters that are "/", "." or "\" to some.
	{target: "/public/..%c0%afadmin/x", source: "IIS CVE-2000-0884"},
	{target: "/public/..%c1%9cadmin/x", source: "IIS CVE-2000-0884"},
	{target: "/public/..%e0%80%afadmin/x", source: "IIS CVE-2000-0884"},
	{target: "/public/%c0%ae%c0%ae/admin/x", source: "Tomcat CVE-2008-2938"},
	{target: "/public/%c0%ae%c0%ae%c0%afadmin/x", source: "GlassFish CVE-2017-1000028"},
	{target: "/public/%e0%80%ae%e0%80%ae/admin/x", source: "Tomcat CVE-2008-2938"},
	{target: "/public/%f0%80%80%ae./admin/x", source: "Tomcat CVE-2008-2938"},
	{target: "/public/..%ef%bc%8fadmin/x", source: "Weber 2009"},
	{target: "/public/%ef%bc%8e%ef%bc%8e/admin/x", source: "Weber 2009"},
	{target: "/public/..%ef%bc%bcadmin/x", source: "Weber 2009"},
	{target: "/public/%u002e%u002e/admin/x", source: "Jetty CVE-2021-34429"},
	{target: "/%u002e/admin/x", source: "Jetty CVE-2021-34429"},
	{target: "/public/..%u2215admin/x", source: "Snort CVE-2001-0669"},

	// Bytes that some drop, trim or stop at.
	{target: "/admin%00/x", source: "PHP CVE-2006-7243"},
	{target: "/public/../admin%00.png", source: "PHP CVE-2006-7243"},
	{target: "/public/..%00/admin/x", source: "Jetty CVE-2021-34429"},
	{target: "/.%00/admin/x", source: "Jetty CVE-2021-34429"},
	{target: "/ad\x00min/x", source: "Tomcat CVE-2003-0042"},
	{target: "/admin%0a/x", source: "Spring CVE-2022-22978"},
	{target: "/admin%0d%0a/x", source: "Shiro CVE-2022-32532"},
	{target: "/ad%09min/x", source: "Python CVE-2022-0391"},
	{target: "/public/.%0a./admin/x", source: "Python CVE-2022-0391"},
	{target: "/public /../admin/x", source: "nginx CVE-2013-4547"},
	{target: "/admin%09", source: "da Costa 2023"},
	{target: "/admin%1f", source: "da Costa 2023"},
	{target: "/admin%85", source: "da Costa 2023"},
	{target: "/admin%a0", source: "da Costa 2023"},
	{target: "/admin\xa0", source: "da Costa 2023"},
	{target: "/admin%c2%a0", source: "da Costa 2023"},
	{target: "/ad%ffmin/x", source: "Unicode TR 36 section 3.5"},

	// Windows.
	{target: "/admin./x", source: "nginx CVE-2011-4963"},
	{target: "/admin.../x", source: "nginx CVE-2011-4963"},
	{target: "/admin%20/x", source: "Spring CVE-2016-5007"},
	{target: "/admin%2e%20/x", source: "nginx CVE-2011-4963"},
	{target: "/public/..%20/admin/x", source: "nginx CVE-2011-4963"},
	{target: "/admin::$DATA", source: "IIS CVE-1999-0278"},
	{target: "/admin::$INDEX_ALLOCATION/x", source: "IIS CVE-2010-2731"},
	{target: "/admin:$i30:$INDEX_ALLOCATION/x", source: "IIS CVE-2010-2731"},
	{target: "/admin%3a%3a$DATA", source: "IIS CVE-1999-0278"},
	{target: "/public/.../admin/x", source: "PWS CVE-1999-0386"},
	{target: "/ADMIN/x", source: "Apache CVE-2001-0766"},
	{target: "/%41dmin/x", source: "Apache CVE-2001-0766"},

	// Delimiters of the path.
	{target: "/admin#/x", source: "HAProxy CVE-2023-45539"},
	{target: "/public#/../admin/x", source: "Envoy CVE-2021-32779"},
	{target: "/public/../admin#/x", source: "Envoy CVE-2021-32779"},
	{target: "/admin%23/x", source: "Spring CVE-2020-5410"},
	{target: "/admin%3f/x", source: "Apache CVE-2024-38474"},
	{target: "/public/../admin%3fx", source: "Apache CVE-2024-38474"},

	// Other forms of the target.
	{target: "http://front.test/public/../admin/x", source: "Kettle 2017"},
	{target: "http://front.test//admin/x", source: "Kettle 2017"},
	{target: "http:admin/x", source: "Claroty 2022"},
	{target: "http:/public/../admin/x", source: "Claroty 2022"},
	{target: "http:///admin;/x", source: "Claroty 2022"},
	{target: "http://u:p@front.test/admin;/x", source: "Kettle 2017"},
	{target: "ftp://front.test/public/../admin/x", source: "Tiurin 2019"},
	{target: "file:///public/../admin/x", source: "Tiurin 2019"},
	{target: "http://front.test:99999/admin;/x", source: "RFC 3986 section 3.2.3"},
	{target: "admin/x", source: "Kettle 2017"},
	{target: "@front.test/admin/x", source: "Kettle 2017"},
	{target: "http://admin.test/x", source: "Kettle 2017"},

	// Hosts.
	{target: "/x", host: "admin.test.", source: "curl CVE-2022-30115"},
	{target: "/x", host: "%61dmin.test", source: "curl CVE-2022-27780"},
	{target: "/x", host: "u@admin.test", source: "Kettle 2017"},
	{target: "/x", host: "admin.test:80:90", source: "Tsai 2017"},
	{target: "/x", host: "127.1", source: "node-ip CVE-2024-29415"},
	{target: "/x", host: "0x7f.1", source: "node-ip CVE-2023-42282"},
	{target: "/x", host: "2130706433", source: "RFC 3986 section 7.4"},
	{target: "/x", host: "[::ffff:127.0.0.1]", source: "Go CVE-2024-24790"},
	{target: "/x", host: "[::ffff:7f00:1]", source: "Go CVE-2024-24790"},
	{target: "http://admin.test./x", source: "curl CVE-2022-30115"},
	{target: "http://0x7f.1/x", source: "node-ip CVE-2023-42282"},
}
