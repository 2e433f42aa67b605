-- Agents also ask to undo changes of channels.
alter table approvals
  drop constraint approvals_action_check,
  add constraint approvals_action_check check (action in
    ('promote_build', 'promote_version', 'undo_channel_change', 'delete_build', 'delete_version', 'request_deploy_key'));
