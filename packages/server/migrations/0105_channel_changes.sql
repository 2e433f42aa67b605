-- Moves of several platforms that were made at once are one change, which can be undone. Both columns are null for moves
-- of the previous version.
alter table channel_moves
  add column change_uid uuid,
  -- The move that held before this one; null if it is the first of its channel and platform.
  add column previous_move_id uuid,
  drop constraint channel_moves_action_check,
  add constraint channel_moves_action_check check (action in ('advance', 'promote', 'rollback', 'delete', 'undo'));

-- Agents also ask to promote versions.
alter table approvals
  drop constraint approvals_action_check,
  add constraint approvals_action_check check (action in ('promote_build', 'promote_version', 'delete_build', 'request_deploy_key'));
