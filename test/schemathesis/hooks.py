"""Values for the formats that JSON Schema has no words for, so that requests get past the schemas."""

import schemathesis
from hypothesis import strategies as st

EXPRESSIONS = [
    "0 9 * * MON-FRI",
    "*/10 * * * * *",
    "30 2 L * *",
    "H H * * *",
    "@hourly",
    "every PT5M",
    "every P1M",
    "at(2031-03-30T02:30:00)",
    "cron(0 12 ? * MON-FRI *)",
    "rate(5 minutes)",
    "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9",
]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "Asia/Kolkata"]
MOMENTS = ["2031-01-01T00:00:00", "2032-02-29T12:00:00Z", "2031-06-01T09:30:00+02:00"]

schemathesis.openapi.format("punctual-expression", st.sampled_from(EXPRESSIONS))
schemathesis.openapi.format("iana-time-zone", st.sampled_from(ZONES))
schemathesis.openapi.format("punctual-moment", st.sampled_from(MOMENTS))
