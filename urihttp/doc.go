// Package urihttp decides which HTTP requests are safe to route by their path.
//
// A proxy that guards "/admin" must see the path that the server behind it will see. Servers differ: some
// decode twice, some drop ";x", some read "\" as "/". A [Policy] refuses what they read differently, or
// rewrites it so that all of them read it alike. To install one, wrap the handler:
//
//	policy := urihttp.Strict()
//	http.ListenAndServe(":8080", policy.Handler(proxy))
//
// Middleware that answers by itself asks [Policy.Decide] instead. Policies that come from a
// configuration should pass [Policy.Validate]. For other servers, such as fasthttp,
// [Policy.AppendTarget] takes the method, the target and the Host field as bytes.
//
// # Which policy
//
// [Strict] lets through only targets in which all servers see the same path, and answers all others with
// status 400. Of 10,000 requests in the log of a public site, it refused 16, all from spammers and crawlers.
// It also refuses requests without a Host field, which some health checks send, and illegal characters in the
// query, such as those of "?a[]=1" and "?width=100%". With LenientQuery, it encodes such characters instead.
//
// [Envoy] rewrites dot segments and slashes, and redirects clients that escape slashes. It lets through what
// Envoy lets through: path parameters, "%25", overlong UTF-8 and other input that is unsafe for some servers.
//
// A policy is a value, and each route can have its own. For example, if file names contain escaped slashes:
//
//	files := urihttp.Strict()
//	files.EscapedSlashes = urihttp.Keep
//	mux.Handle("/files/", files.Handler(storage))
//
// A policy that rewrites must come before the handler that chooses the route, because it changes the path.
// One that only refuses may come after it.
//
// # What passes is what was checked
//
// The next handler finds the checked target in r.URL and in r.RequestURI alike. A policy decides about the
// target and the Host field only. It does not see headers that replace them, such as X-Original-URL and
// X-Forwarded-Host: remove those that your servers trust. It does not know which characters look alike, and
// it does not ignore case.
//
// # Attacks
//
// A test sends these targets over TCP to a [net/http/httputil.ReverseProxy] that guards "/admin" by
// r.URL.Path, and the hosts admin.test and 127.0.0.1 by r.Host. It does so without a policy (none), with
// Strict and with Envoy. A number is the status code of the response; 403 comes from the guard. After 307 the
// client follows the redirect. Letters stand for the servers that served what is guarded: "d+13" means d and
// 13 others, and "-" means that none did:
//
//	d  decodes once
//	D  decodes twice
//	p  drops path parameters, then decodes
//	s  decodes, then drops path parameters
//	b  reads \ as /
//	m  merges slashes
//	w  finds files as Windows does
//	z  stops at NUL
//	u  decodes Unicode loosely
//	t  trims and drops white space and controls
//	q  looks for ? and # once decoded
//	n  finds an authority after //
//	a  replaces the prefix /public
//	A  does all of the above except n and a
//	c  folds case
//	h  reads hosts loosely
//
// No policy folds case: if a server ignores case, its guard must do the same. The last row does not count c.
//
// A source is the CVE number of software that was attacked in the same way, a section of the standard that
// allows the target, or published research:
//
//	Weber 2009        Chris Weber, Unraveling Unicode, Black Hat USA 2009
//	Kettle 2017       James Kettle, Cracking the Lens, Black Hat USA 2017
//	Tsai 2017         Orange Tsai, A New Era of SSRF, Black Hat USA 2017
//	Tsai 2018         Orange Tsai, Breaking Parser Logic, Black Hat USA 2018
//	Tiurin 2019       Aleksei Tiurin, A Fresh Look on Reverse Proxy Related Attacks
//	Claroty 2022      Team82 and Snyk, Exploiting URL Parsing Confusion
//	da Costa 2023     Rafael da Costa Santos, Exploiting HTTP Parsers Inconsistencies
//
// The last column shows what Envoy itself does, if that differs: its status, or the target that it passes on.
// It follows Envoy's documentation and tests. It is empty for hosts, and for targets not in origin-form.
//
//	target                              source                      none Strict Envoy   Envoy itself
//	/public/../admin/x                  Citrix CVE-2019-19781       d+13 400    403
//	/./admin/x                          ManageEngine CVE-2021-40539 d+13 400    403
//	/public/./../admin/x                Envoy CVE-2019-9901         d+12 400    403
//	/public/a/../../admin/x             Grafana CVE-2021-43798      d+13 400    403
//	/../admin/x                         RFC 3986 section 5.4.2      d+14 400    403
//	/public/../../admin                 RFC 3986 section 5.4.2      d+14 400    403
//	/public/..//admin/x                 Istio CVE-2021-31920        mA   400    403
//	/public/%2e%2e/admin/x              Apache CVE-2021-41773       d+13 400    403
//	/public/.%2e/admin/x                Apache CVE-2021-41773       d+13 400    403
//	/public/%2E./admin/x                Apache CVE-2021-41773       d+13 400    403
//	/public/a/%2e%2e/%2e%2e/admin/x     Apache CVE-2021-41773       d+13 400    403
//	/%2e/admin/x                        Jetty CVE-2021-28164        d+13 400    403
//	/public/%2e/../admin/x              Jetty CVE-2021-28164        d+12 400    403
//	/public/.%%32%65/admin/x            Apache CVE-2021-42013       400  400    400     /public/.%252e/admin/x
//	/a/%%32%65%%32%65/admin/x           Apache CVE-2021-42013       400  400    400     /a/%252e%252e/admin/x
//	/public../admin/x                   nginx alias, Tsai 2018      a    400    a
//	/%2fadmin/x                         Istio CVE-2021-31920        mA   400    307 403
//	/%2Fadmin%2Fx                       Envoy CVE-2021-29492        mA   400    307 403
//	/public/..%2fadmin/x                uWSGI CVE-2018-7490         d+13 400    307 403
//	/public%2f..%2fadmin%2fx            Envoy CVE-2021-29492        d+13 400    307 403
//	/public/%2e%2e%2fadmin/x            Tomcat CVE-2007-0450        d+13 400    307 403
//	/public/a/..%2f..%2fadmin/x         uWSGI CVE-2018-7490         d+13 400    307 403
//	/public%2F%2E%2E/admin/x            Envoy CVE-2021-29492        d+13 400    307 403
//	/public/..%5cadmin/x                Tomcat CVE-2007-0450        buA  400    307 403
//	/public%5c..%5cadmin%5cx            Spring CVE-2018-1271        buA  400    307 403
//	/%5cadmin/x                         Envoy CVE-2021-29492        A    400    307 403
//	/public/%2e%2e%5Cadmin/x            Spring CVE-2018-1271        buA  400    307 403
//	/public/..\admin/x                  Tomcat CVE-2007-0450        buA  400    400     /admin/x
//	/public\..\admin\x                  Spring CVE-2018-1271        buA  400    400     /admin/x
//	/\admin/x                           Django CVE-2014-3730        A    400    400     /admin/x
//	//admin/x                           Istio CVE-2021-31920        mA   400    403
//	///admin/x                          Istio CVE-2021-31920        mnA  400    403
//	/.//admin/x                         Istio CVE-2021-31920        mA   400    403
//	/public//../admin/x                 Tsai 2018                   mA   400    -
//	//front.test/admin/x                Django CVE-2018-14574       n    400    -
//	/%2f%2fadmin/x                      Istio CVE-2021-31920        mA   400    307 403
//	/%2561dmin/x                        Jetty CVE-2021-28169        DA   400    DA
//	/public/%252e%252e/admin/x          Sprockets CVE-2018-3760     DA   400    DA
//	/public/%252e%252e%252fadmin/x      WebLogic CVE-2020-14882     DA   400    DA
//	/public/..%252fadmin/x              Spring CVE-2019-3799        DA   400    DA
//	/public/..%252f..%252fadmin/x       Spring CVE-2020-5410        DA   400    DA
//	/%252fadmin/x                       Spring CVE-2020-5410        A    400    A
//	/public/..%255cadmin/x              IIS CVE-2001-0333           A    400    A
//	/public/..%25%35%63admin/x          IIS CVE-2001-0333           A    400    A
//	/public/..%%35cadmin/x              IIS CVE-2001-0333           400  400    400     /public/..%255cadmin/x
//	/public/..%%35%63admin/x            IIS CVE-2001-0333           400  400    400     /public/..%255cadmin/x
//	/public/%252e%252e%253b/admin/x     Tsai 2018, escaped twice    A    400    A
//	/admin%252fx                        Jetty CVE-2021-28169        DA   400    DA
//	/public/..;/admin/x                 F5 CVE-2020-5902            psA  400    403
//	/public/..;a=b/admin/x              Tsai 2018                   psA  400    403
//	/public;a=b/..;x=y/admin/x          Tsai 2018                   psA  400    403
//	/public/.;/..;/admin/x              Envoy CVE-2026-73551        psA  400    403
//	/.;/admin/x                         Envoy CVE-2026-73551        psA  400    403
//	/;/admin/x                          Shiro CVE-2020-11989        A    400    A
//	/;jsessionid=1/admin/x              Shiro CVE-2020-11989        A    400    A
//	/admin;/x                           Shiro CVE-2020-1957         psA  400    psA
//	/admin;jsessionid=1/x               Undertow CVE-2020-1757      psA  400    psA
//	/admin;a=b                          Undertow CVE-2020-1757      psA  400    psA
//	/public/%2e%2e;/admin/x             Envoy CVE-2026-73551        psA  400    403     /public/..;/admin/x
//	/public/.%2e;a=b/admin/x            Envoy CVE-2026-73551        psA  400    403     /public/..;a=b/admin/x
//	/public/..%3b/admin/x               Shiro CVE-2020-13933        sA   400    sA
//	/admin%3bx/y                        Shiro CVE-2020-13933        sA   400    sA
//	/public/..;%2fadmin/x               Tsai 2018, escaped slash    sA   400    307 403
//	/public/..;/..;/admin/x             F5 CVE-2020-5902            psA  400    403
//	/public/..%c0%afadmin/x             IIS CVE-2000-0884           uA   400    uA
//	/public/..%c1%9cadmin/x             IIS CVE-2000-0884           uA   400    uA
//	/public/..%e0%80%afadmin/x          IIS CVE-2000-0884           uA   400    uA
//	/public/%c0%ae%c0%ae/admin/x        Tomcat CVE-2008-2938        uA   400    uA
//	/public/%c0%ae%c0%ae%c0%afadmin/x   GlassFish CVE-2017-1000028  uA   400    uA
//	/public/%e0%80%ae%e0%80%ae/admin/x  Tomcat CVE-2008-2938        uA   400    uA
//	/public/%f0%80%80%ae./admin/x       Tomcat CVE-2008-2938        uA   400    uA
//	/public/..%ef%bc%8fadmin/x          Weber 2009                  uA   400    uA
//	/public/%ef%bc%8e%ef%bc%8e/admin/x  Weber 2009                  uA   400    uA
//	/public/..%ef%bc%bcadmin/x          Weber 2009                  uA   400    uA
//	/public/%u002e%u002e/admin/x        Jetty CVE-2021-34429        400  400    400     unchanged
//	/%u002e/admin/x                     Jetty CVE-2021-34429        400  400    400     unchanged
//	/public/..%u2215admin/x             Snort CVE-2001-0669         400  400    400     unchanged
//	/admin%00/x                         PHP CVE-2006-7243           ztA  400    400
//	/public/../admin%00.png             PHP CVE-2006-7243           zA   400    400
//	/public/..%00/admin/x               Jetty CVE-2021-34429        t    400    400
//	/.%00/admin/x                       Jetty CVE-2021-34429        t    400    400
//	/ad\x00min/x                        Tomcat CVE-2003-0042        400  400    400
//	/admin%0a/x                         Spring CVE-2022-22978       tA   400    tA
//	/admin%0d%0a/x                      Shiro CVE-2022-32532        tA   400    tA
//	/ad%09min/x                         Python CVE-2022-0391        tA   400    tA
//	/public/.%0a./admin/x               Python CVE-2022-0391        tA   400    tA
//	/public /../admin/x                 nginx CVE-2013-4547         400  400    400
//	/admin%09                           da Costa 2023               tA   400    tA
//	/admin%1f                           da Costa 2023               tA   400    tA
//	/admin%85                           da Costa 2023               uA   400    uA
//	/admin%a0                           da Costa 2023               uA   400    uA
//	/admin\xa0                          da Costa 2023               uA   400    400
//	/admin%c2%a0                        da Costa 2023               tA   400    tA
//	/ad%ffmin/x                         Unicode TR 36 section 3.5   uA   400    uA
//	/admin./x                           nginx CVE-2011-4963         wA   400    wA
//	/admin.../x                         nginx CVE-2011-4963         wA   400    wA
//	/admin%20/x                         Spring CVE-2016-5007        wA   400    wA
//	/admin%2e%20/x                      nginx CVE-2011-4963         wA   400    wA
//	/public/..%20/admin/x               nginx CVE-2011-4963         wA   400    wA
//	/admin::$DATA                       IIS CVE-1999-0278           wA   400    wA
//	/admin::$INDEX_ALLOCATION/x         IIS CVE-2010-2731           wA   400    wA
//	/admin:$i30:$INDEX_ALLOCATION/x     IIS CVE-2010-2731           wA   400    wA
//	/admin%3a%3a$DATA                   IIS CVE-1999-0278           wA   400    wA
//	/public/.../admin/x                 PWS CVE-1999-0386           wA   400    wA
//	/ADMIN/x                            Apache CVE-2001-0766        c    c      c
//	/%41dmin/x                          Apache CVE-2001-0766        c    c      c
//	/admin#/x                           HAProxy CVE-2023-45539      qA   400    400
//	/public#/../admin/x                 Envoy CVE-2021-32779        d+11 400    400
//	/public/../admin#/x                 Envoy CVE-2021-32779        qA   400    400
//	/admin%23/x                         Spring CVE-2020-5410        qA   400    qA
//	/admin%3f/x                         Apache CVE-2024-38474       qA   400    qA
//	/public/../admin%3fx                Apache CVE-2024-38474       qA   400    qA
//	http://front.test/public/../admin/x Kettle 2017                 d+13 400    403
//	http://front.test//admin/x          Kettle 2017                 mA   400    403
//	http:admin/x                        Claroty 2022                d+14 400    400
//	http:/public/../admin/x             Claroty 2022                d+13 400    400
//	http:///admin;/x                    Claroty 2022                psA  400    400
//	http://u:p@front.test/admin;/x      Kettle 2017                 psA  400    400
//	ftp://front.test/public/../admin/x  Tiurin 2019                 d+13 400    400
//	file:///public/../admin/x           Tiurin 2019                 d+13 400    400
//	http://front.test:99999/admin;/x    RFC 3986 section 3.2.3      psA  400    400
//	admin/x                             Kettle 2017                 400  400    400
//	@front.test/admin/x                 Kettle 2017                 400  400    400
//	http://admin.test/x                 Kettle 2017                 403  403    403
//	Host: admin.test.                   curl CVE-2022-30115         h    400    h
//	Host: %61dmin.test                  curl CVE-2022-27780         h    400    h
//	Host: u@admin.test                  Kettle 2017                 400  400    400
//	Host: admin.test:80:90              Tsai 2017                   h    400    400
//	Host: 127.1                         node-ip CVE-2024-29415      h    400    h
//	Host: 0x7f.1                        node-ip CVE-2023-42282      h    400    h
//	Host: 2130706433                    RFC 3986 section 7.4        h    400    h
//	Host: [::ffff:127.0.0.1]            Go CVE-2024-24790           h    400    h
//	Host: [::ffff:7f00:1]               Go CVE-2024-24790           h    400    h
//	http://admin.test./x                curl CVE-2022-30115         h    400    h
//	http://0x7f.1/x                     node-ip CVE-2023-42282      h    400    h
//	135 targets                         reach what is guarded       120  0      60
package urihttp
