// Package attacks has request targets that some servers read as other paths than the proxy before them,
// and small models of such servers. The tests of package urihttp send them to a reverse proxy, those of
// integrations to other proxies.
package attacks

// An Attack is a request target that some software reads as one below "/admin", or a Host field that
// some software reads as "admin.test" or 127.0.0.1, although a plain rule does not.
type Attack struct {
	Target string
	Source string // who was attacked in this way, or who published it
	Host   string // "front.test" if empty
}

// All is the table of attacks. Published research is named by author and year: see the documentation of
// package urihttp.
//
// A CVE number names software that was attacked with the same trick, perhaps with other names in the path.
// The escapes in "Tsai 2018, escaped twice" are ours, the rest of the target was published.
var All = []Attack{
	// Dot segments.
	{Target: "/public/../admin/x", Source: "Citrix CVE-2019-19781"},
	{Target: "/./admin/x", Source: "ManageEngine CVE-2021-40539"},
	{Target: "/public/./../admin/x", Source: "Envoy CVE-2019-9901"},
	{Target: "/public/a/../../admin/x", Source: "Grafana CVE-2021-43798"},
	{Target: "/../admin/x", Source: "RFC 3986 section 5.4.2"},
	{Target: "/public/../../admin", Source: "RFC 3986 section 5.4.2"},
	{Target: "/public/..//admin/x", Source: "Istio CVE-2021-31920"},
	{Target: "/public/%2e%2e/admin/x", Source: "Apache CVE-2021-41773"},
	{Target: "/public/.%2e/admin/x", Source: "Apache CVE-2021-41773"},
	{Target: "/public/%2E./admin/x", Source: "Apache CVE-2021-41773"},
	{Target: "/public/a/%2e%2e/%2e%2e/admin/x", Source: "Apache CVE-2021-41773"},
	{Target: "/%2e/admin/x", Source: "Jetty CVE-2021-28164"},
	{Target: "/public/%2e/../admin/x", Source: "Jetty CVE-2021-28164"},
	{Target: "/public/.%%32%65/admin/x", Source: "Apache CVE-2021-42013"},
	{Target: "/a/%%32%65%%32%65/admin/x", Source: "Apache CVE-2021-42013"},
	{Target: "/public../admin/x", Source: "nginx alias, Tsai 2018"},

	// Escaped slashes and backslashes.
	{Target: "/%2fadmin/x", Source: "Istio CVE-2021-31920"},
	{Target: "/%2Fadmin%2Fx", Source: "Envoy CVE-2021-29492"},
	{Target: "/public/..%2fadmin/x", Source: "uWSGI CVE-2018-7490"},
	{Target: "/public%2f..%2fadmin%2fx", Source: "Envoy CVE-2021-29492"},
	{Target: "/public/%2e%2e%2fadmin/x", Source: "Tomcat CVE-2007-0450"},
	{Target: "/public/a/..%2f..%2fadmin/x", Source: "uWSGI CVE-2018-7490"},
	{Target: "/public%2F%2E%2E/admin/x", Source: "Envoy CVE-2021-29492"},
	{Target: "/public/..%5cadmin/x", Source: "Tomcat CVE-2007-0450"},
	{Target: "/public%5c..%5cadmin%5cx", Source: "Spring CVE-2018-1271"},
	{Target: "/%5cadmin/x", Source: "Envoy CVE-2021-29492"},
	{Target: "/public/%2e%2e%5Cadmin/x", Source: "Spring CVE-2018-1271"},
	{Target: "/public/..\\admin/x", Source: "Tomcat CVE-2007-0450"},
	{Target: "/public\\..\\admin\\x", Source: "Spring CVE-2018-1271"},
	{Target: "/\\admin/x", Source: "Django CVE-2014-3730"},

	// Several slashes.
	{Target: "//admin/x", Source: "Istio CVE-2021-31920"},
	{Target: "///admin/x", Source: "Istio CVE-2021-31920"},
	{Target: "/.//admin/x", Source: "Istio CVE-2021-31920"},
	{Target: "/public//../admin/x", Source: "Tsai 2018"},
	{Target: "//front.test/admin/x", Source: "Django CVE-2018-14574"},
	{Target: "/%2f%2fadmin/x", Source: "Istio CVE-2021-31920"},

	// Decoded twice.
	{Target: "/%2561dmin/x", Source: "Jetty CVE-2021-28169"},
	{Target: "/public/%252e%252e/admin/x", Source: "Sprockets CVE-2018-3760"},
	{Target: "/public/%252e%252e%252fadmin/x", Source: "WebLogic CVE-2020-14882"},
	{Target: "/public/..%252fadmin/x", Source: "Spring CVE-2019-3799"},
	{Target: "/public/..%252f..%252fadmin/x", Source: "Spring CVE-2020-5410"},
	{Target: "/%252fadmin/x", Source: "Spring CVE-2020-5410"},
	{Target: "/public/..%255cadmin/x", Source: "IIS CVE-2001-0333"},
	{Target: "/public/..%25%35%63admin/x", Source: "IIS CVE-2001-0333"},
	{Target: "/public/..%%35cadmin/x", Source: "IIS CVE-2001-0333"},
	{Target: "/public/..%%35%63admin/x", Source: "IIS CVE-2001-0333"},
	{Target: "/public/%252e%252e%253b/admin/x", Source: "Tsai 2018, escaped twice"},
	{Target: "/admin%252fx", Source: "Jetty CVE-2021-28169"},

	// Path parameters.
	{Target: "/public/..;/admin/x", Source: "F5 CVE-2020-5902"},
	{Target: "/public/..;a=b/admin/x", Source: "Tsai 2018"},
	{Target: "/public;a=b/..;x=y/admin/x", Source: "Tsai 2018"},
	{Target: "/public/.;/..;/admin/x", Source: "Envoy CVE-2026-73551"},
	{Target: "/.;/admin/x", Source: "Envoy CVE-2026-73551"},
	{Target: "/;/admin/x", Source: "Shiro CVE-2020-11989"},
	{Target: "/;jsessionid=1/admin/x", Source: "Shiro CVE-2020-11989"},
	{Target: "/admin;/x", Source: "Shiro CVE-2020-1957"},
	{Target: "/admin;jsessionid=1/x", Source: "Undertow CVE-2020-1757"},
	{Target: "/admin;a=b", Source: "Undertow CVE-2020-1757"},
	{Target: "/public/%2e%2e;/admin/x", Source: "Envoy CVE-2026-73551"},
	{Target: "/public/.%2e;a=b/admin/x", Source: "Envoy CVE-2026-73551"},
	{Target: "/public/..%3b/admin/x", Source: "Shiro CVE-2020-13933"},
	{Target: "/admin%3bx/y", Source: "Shiro CVE-2020-13933"},
	{Target: "/public/..;%2fadmin/x", Source: "Tsai 2018, escaped slash"},
	{Target: "/public/..;/..;/admin/x", Source: "F5 CVE-2020-5902"},

	// Characters that are "/", "." or "\" to some.
	{Target: "/public/..%c0%afadmin/x", Source: "IIS CVE-2000-0884"},
	{Target: "/public/..%c1%9cadmin/x", Source: "IIS CVE-2000-0884"},
	{Target: "/public/..%e0%80%afadmin/x", Source: "IIS CVE-2000-0884"},
	{Target: "/public/%c0%ae%c0%ae/admin/x", Source: "Tomcat CVE-2008-2938"},
	{Target: "/public/%c0%ae%c0%ae%c0%afadmin/x", Source: "GlassFish CVE-2017-1000028"},
	{Target: "/public/%e0%80%ae%e0%80%ae/admin/x", Source: "Tomcat CVE-2008-2938"},
	{Target: "/public/%f0%80%80%ae./admin/x", Source: "Tomcat CVE-2008-2938"},
	{Target: "/public/..%ef%bc%8fadmin/x", Source: "Weber 2009"},
	{Target: "/public/%ef%bc%8e%ef%bc%8e/admin/x", Source: "Weber 2009"},
	{Target: "/public/..%ef%bc%bcadmin/x", Source: "Weber 2009"},
	{Target: "/public/%u002e%u002e/admin/x", Source: "Jetty CVE-2021-34429"},
	{Target: "/%u002e/admin/x", Source: "Jetty CVE-2021-34429"},
	{Target: "/public/..%u2215admin/x", Source: "Snort CVE-2001-0669"},

	// Bytes that some drop, trim or stop at.
	{Target: "/admin%00/x", Source: "PHP CVE-2006-7243"},
	{Target: "/public/../admin%00.png", Source: "PHP CVE-2006-7243"},
	{Target: "/public/..%00/admin/x", Source: "Jetty CVE-2021-34429"},
	{Target: "/.%00/admin/x", Source: "Jetty CVE-2021-34429"},
	{Target: "/ad\x00min/x", Source: "Tomcat CVE-2003-0042"},
	{Target: "/admin%0a/x", Source: "Spring CVE-2022-22978"},
	{Target: "/admin%0d%0a/x", Source: "Shiro CVE-2022-32532"},
	{Target: "/ad%09min/x", Source: "Python CVE-2022-0391"},
	{Target: "/public/.%0a./admin/x", Source: "Python CVE-2022-0391"},
	{Target: "/public /../admin/x", Source: "nginx CVE-2013-4547"},
	{Target: "/admin%09", Source: "da Costa 2023"},
	{Target: "/admin%1f", Source: "da Costa 2023"},
	{Target: "/admin%85", Source: "da Costa 2023"},
	{Target: "/admin%a0", Source: "da Costa 2023"},
	{Target: "/admin\xa0", Source: "da Costa 2023"},
	{Target: "/admin%c2%a0", Source: "da Costa 2023"},
	{Target: "/ad%ffmin/x", Source: "Unicode TR 36 section 3.5"},

	// Windows.
	{Target: "/admin./x", Source: "nginx CVE-2011-4963"},
	{Target: "/admin.../x", Source: "nginx CVE-2011-4963"},
	{Target: "/admin%20/x", Source: "Spring CVE-2016-5007"},
	{Target: "/admin%2e%20/x", Source: "nginx CVE-2011-4963"},
	{Target: "/public/..%20/admin/x", Source: "nginx CVE-2011-4963"},
	{Target: "/admin::$DATA", Source: "IIS CVE-1999-0278"},
	{Target: "/admin::$INDEX_ALLOCATION/x", Source: "IIS CVE-2010-2731"},
	{Target: "/admin:$i30:$INDEX_ALLOCATION/x", Source: "IIS CVE-2010-2731"},
	{Target: "/admin%3a%3a$DATA", Source: "IIS CVE-1999-0278"},
	{Target: "/public/.../admin/x", Source: "PWS CVE-1999-0386"},
	{Target: "/ADMIN/x", Source: "Apache CVE-2001-0766"},
	{Target: "/%41dmin/x", Source: "Apache CVE-2001-0766"},

	// Delimiters of the path.
	{Target: "/admin#/x", Source: "HAProxy CVE-2023-45539"},
	{Target: "/public#/../admin/x", Source: "Envoy CVE-2021-32779"},
	{Target: "/public/../admin#/x", Source: "Envoy CVE-2021-32779"},
	{Target: "/admin%23/x", Source: "Spring CVE-2020-5410"},
	{Target: "/admin%3f/x", Source: "Apache CVE-2024-38474"},
	{Target: "/public/../admin%3fx", Source: "Apache CVE-2024-38474"},

	// Other forms of the target.
	{Target: "http://front.test/public/../admin/x", Source: "Kettle 2017"},
	{Target: "http://front.test//admin/x", Source: "Kettle 2017"},
	{Target: "http:admin/x", Source: "Claroty 2022"},
	{Target: "http:/public/../admin/x", Source: "Claroty 2022"},
	{Target: "http:///admin;/x", Source: "Claroty 2022"},
	{Target: "http://u:p@front.test/admin;/x", Source: "Kettle 2017"},
	{Target: "ftp://front.test/public/../admin/x", Source: "Tiurin 2019"},
	{Target: "file:///public/../admin/x", Source: "Tiurin 2019"},
	{Target: "http://front.test:99999/admin;/x", Source: "RFC 3986 section 3.2.3"},
	{Target: "admin/x", Source: "Kettle 2017"},
	{Target: "@front.test/admin/x", Source: "Kettle 2017"},
	{Target: "http://admin.test/x", Source: "Kettle 2017"},

	// Hosts.
	{Target: "/x", Host: "admin.test.", Source: "curl CVE-2022-30115"},
	{Target: "/x", Host: "%61dmin.test", Source: "curl CVE-2022-27780"},
	{Target: "/x", Host: "u@admin.test", Source: "Kettle 2017"},
	{Target: "/x", Host: "admin.test:80:90", Source: "Tsai 2017"},
	{Target: "/x", Host: "127.1", Source: "node-ip CVE-2024-29415"},
	{Target: "/x", Host: "0x7f.1", Source: "node-ip CVE-2023-42282"},
	{Target: "/x", Host: "2130706433", Source: "RFC 3986 section 7.4"},
	{Target: "/x", Host: "[::ffff:127.0.0.1]", Source: "Go CVE-2024-24790"},
	{Target: "/x", Host: "[::ffff:7f00:1]", Source: "Go CVE-2024-24790"},
	{Target: "http://admin.test./x", Source: "curl CVE-2022-30115"},
	{Target: "http://0x7f.1/x", Source: "node-ip CVE-2023-42282"},
}
