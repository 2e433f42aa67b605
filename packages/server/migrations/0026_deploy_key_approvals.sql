-- An agent that wants a deploy key waits for the owner's approval, like other changes that can reach players.

-- Until the agent has collected its key, `result` has no key_ref. The key pair itself is never in a row: it is created at the moment when the
-- agent collects it.
alter table approvals
  drop constraint approvals_action_check,
  add constraint approvals_action_check check (action in ('promote_build', 'delete_build', 'request_deploy_key'));
