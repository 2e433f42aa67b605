-- Agents also ask to delete versions.
alter table approvals
  drop constraint approvals_action_check,
  add constraint approvals_action_check
    check (action in ('promote_build', 'promote_version', 'delete_build', 'delete_version', 'request_deploy_key'));
