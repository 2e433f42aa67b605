-- The last test message to each destination of alerts, which is shown for longer than the message is kept. Both are null
-- before the first test and after a change of the address. The problem is null if the test arrived.
alter table alert_destinations add column tested_at timestamptz, add column test_problem text;
