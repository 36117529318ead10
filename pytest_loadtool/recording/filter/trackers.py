"""Domains of common analytics, advertising and session-recording services.

Not a list to browse safely with (those are long and change daily), but the services that sites
embed most often: a load test that calls them measures, and pays, the wrong people. Put together
from what these services tell their customers to embed; no list of others is copied. A service that
sites need to work (payments, maps, fonts, consent, chat, content delivery) is not in it.
"""

from __future__ import annotations

from pytest_loadtool.recording.filter.domains import Domain

_NAMES = """
2o7.net adobedc.net demdex.net everesttech.net omtrdc.net
ad.gt adform.net adnxs.com adroll.com adsrvr.org amazon-adsystem.com bidswitch.net
casalemedia.com criteo.com criteo.net id5-sync.com liadm.com moatads.com openx.net outbrain.com
outbrainimg.com pubmatic.com rlcdn.com rubiconproject.com sharethrough.com smartadserver.com
taboola.com teads.tv tapad.com yieldmo.com 3lift.com 33across.com
doubleclick.net google-analytics.com googleadservices.com googlesyndication.com
googletagmanager.com googletagservices.com analytics.google.com adservice.google.com
app-measurement.com
an.facebook.com connect.facebook.net pixel.facebook.com
ads.linkedin.com snap.licdn.com
analytics.tiktok.com ads.tiktok.com
analytics.twitter.com ads-twitter.com ads-api.twitter.com
alb.reddit.com pixel-config.reddit.com
tr.snapchat.com ct.pinterest.com events.redditmedia.com
bat.bing.com clarity.ms ads.microsoft.com
analytics.yahoo.com ads.yahoo.com
hm.baidu.com mc.yandex.ru mc.yandex.com an.yandex.ru top-fwz1.mail.ru
amplitude.com api2.branch.io appsflyer.com appsflyersdk.com adjust.com
atinternet.com xiti.com at-o.net bluekai.com cxense.com piano.io
chartbeat.com chartbeat.net parsely.com parse.ly
clicktale.net contentsquare.net contentsquare.com hotjar.com hotjar.io fullstory.com
mouseflow.com crazyegg.com luckyorange.com luckyorange.net smartlook.com smartlook.cloud
inspectlet.com logrocket.io logrocket.com lr-in.com lr-in-prod.com lr-ingest.io quantummetric.com
sessioncam.com
cloudflareinsights.com vercel-insights.com va.vercel-scripts.com
ensighten.com tealiumiq.com tiqcdn.com
etracker.com etracker.de webtrekk.net wt-eu02.net ioam.de iocnt.net econda-monitor.de
gemius.pl imrworldwide.com quantserve.com quantcount.com scorecardresearch.com
comscore.com histats.com statcounter.com sitemeter.com clicky.com getclicky.com
heapanalytics.com heap-api.com indicative.com keen.io kissmetrics.com kissmetrics.io
mixpanel.com mxpnl.com posthog.com pendo.io plausible.io matomo.cloud simpleanalyticscdn.com
usefathom.com goatcounter.com umami.is segment.io segment.com rudderstack.com
rudderlabs.com snowplowanalytics.com
hs-analytics.net track.hubspot.com hsadspixel.net pi.pardot.com munchkin.marketo.net
mktoresp.com eloqua.com en25.com
logx.optimizely.com
browser-intake-datadoghq.com browser-intake-datadoghq.eu datadoghq-browser-agent.com
nr-data.net js-agent.newrelic.com
ingest.sentry.io sentry-cdn.com notify.bugsnag.com sessions.bugsnag.com api.rollbar.com
raygun.io trackjs.com go-mpulse.net akstat.io speedcurve.com
"""

#: Each with its subdomains.
TRACKERS = tuple(Domain(name) for name in dict.fromkeys(_NAMES.split()))
