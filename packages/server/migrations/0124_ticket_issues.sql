-- Issues about bug tickets are created in the tracker of the developers.

-- When a request began to create the issue.
alter table bug_tickets add column issue_claimed_at timestamptz;
