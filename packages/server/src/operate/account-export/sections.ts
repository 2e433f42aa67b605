// What an export of an account consists of: for each table with a column for accounts, the rows of the person and the
// columns to show. Secrets and their hashes are left out, and so is what others wrote. A test compares the list with
// the schema.

export type Section = {
  /** The name of the field in the document. */
  readonly name: string;
  readonly table: string;
  /** The column that identifies a row among the rows of a person, which are in its order. */
  readonly key: readonly [column: string, type: 'uuid' | 'text'];
  /** The columns with the id of an account. A row is the person's if one of them has theirs. */
  readonly person: readonly string[];
  /** A column with an address. With a confirmed one, the person also gets the rows with it. */
  readonly email?: string;
  readonly columns: readonly string[];
  /** Adds the name of the game, which is not possible for tables that Citus distributes (ADR 0022). */
  readonly namesGame?: true;
};

export const SECTIONS: readonly Section[] = [
  {
    name: 'account',
    table: 'users',
    key: ['id', 'text'],
    person: ['id'],
    columns: [
      ...['id', 'name', 'email', 'email_verified', 'handle', 'image', 'operator', 'two_factor_enabled'],
      ...['created_at', 'updated_at', 'disabled_at'],
    ],
  },
  {
    name: 'sign_in_methods',
    table: 'user_credentials',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['provider_id', 'account_id', 'scope', 'created_at', 'updated_at'],
  },
  {
    name: 'sessions',
    table: 'user_sessions',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['ip_address', 'user_agent', 'sign_in_method', 'created_at', 'updated_at', 'expires_at'],
  },
  {
    name: 'browsers',
    table: 'user_browsers',
    key: ['browser_id', 'uuid'],
    person: ['user_id'],
    columns: ['user_agent', 'network', 'first_seen_at', 'last_seen_at'],
  },
  {
    name: 'authenticator_apps',
    table: 'user_two_factors',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['verified', 'failed_verification_count', 'locked_until'],
  },
  {
    name: 'passkeys',
    table: 'user_passkeys',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['name', 'device_type', 'backed_up', 'transports', 'aaguid', 'created_at'],
  },
  {
    name: 'personal_keys',
    table: 'agent_keys',
    key: ['key_id', 'uuid'],
    person: ['user_id'],
    columns: [
      ...['key_id', 'key_ref', 'name', 'may_write', 'game_id', 'sign_in_method'],
      ...['created_at', 'expires_at', 'last_used_at', 'revoked_at'],
    ],
    namesGame: true,
  },
  {
    name: 'api_tokens',
    table: 'api_tokens',
    key: ['token_id', 'uuid'],
    person: ['user_id'],
    columns: [
      ...['token_id', 'token_ref', 'name', 'scopes', 'is_limited', 'sign_in_method', 'created_at', 'expires_at'],
      ...['last_used_at', 'last_used_from', 'revoked_at', 'reminded_at'],
    ],
  },
  {
    name: 'agents',
    table: 'agent_connections',
    key: ['connection_id', 'uuid'],
    person: ['user_id'],
    columns: [
      ...['connection_id', 'client_id', 'may_write', 'game_id', 'sign_in_method'],
      ...['connected_at', 'last_used_at', 'revoked_at'],
    ],
    namesGame: true,
  },
  {
    name: 'agent_calls',
    table: 'agent_calls',
    key: ['call_id', 'uuid'],
    person: ['user_id'],
    columns: ['call_id', 'game_id', 'agent_kind', 'agent_id', 'agent_name', 'tool', 'outcome', 'milliseconds'],
    namesGame: true,
  },
  {
    name: 'oauth_clients',
    table: 'oauth_clients',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['client_id', 'name', 'uri', 'redirect_uris', 'created_at', 'updated_at'],
  },
  {
    name: 'oauth_consents',
    table: 'oauth_consents',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['client_id', 'scopes', 'resources', 'created_at', 'updated_at'],
  },
  {
    name: 'oauth_refresh_tokens',
    table: 'oauth_refresh_tokens',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['client_id', 'scopes', 'resources', 'created_at', 'expires_at', 'revoked'],
  },
  {
    name: 'oauth_access_tokens',
    table: 'oauth_access_tokens',
    key: ['id', 'text'],
    person: ['user_id'],
    columns: ['client_id', 'scopes', 'resources', 'created_at', 'expires_at', 'revoked'],
  },
  {
    name: 'command_logins',
    table: 'cli_logins',
    key: ['login_id', 'uuid'],
    person: ['user_id'],
    columns: [
      ...['login_id', 'key_ref', 'host', 'os', 'game_id', 'sign_in_method'],
      ...['created_at', 'last_used_at', 'revoked_at'],
    ],
    namesGame: true,
  },
  {
    name: 'command_login_requests',
    table: 'cli_login_requests',
    key: ['request_id', 'uuid'],
    person: ['user_id'],
    columns: ['host', 'os', 'address', 'game_id', 'approved', 'created_at', 'expires_at'],
    namesGame: true,
  },
  {
    name: 'organisations',
    table: 'organisation_members',
    key: ['organisation_id', 'uuid'],
    person: ['user_id'],
    columns: ['organisation_id', 'role', 'added_at'],
  },
  {
    name: 'personal_organisations',
    table: 'organisations',
    key: ['organisation_id', 'uuid'],
    person: ['personal_of'],
    columns: ['organisation_id', 'name', 'slug', 'required_sign_in', 'created_at'],
  },
  {
    name: 'games_owned',
    table: 'all_games',
    key: ['game_id', 'uuid'],
    person: ['owner_id'],
    columns: [
      ...['game_id', 'name', 'slug', 'visibility', 'tagline', 'description', 'tags', 'organisation_id'],
      ...['created_at', 'updated_at', 'published_at'],
    ],
  },
  {
    name: 'games_administered',
    table: 'game_admins',
    key: ['game_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'added_at'],
    namesGame: true,
  },
  {
    name: 'game_roles',
    table: 'game_roles',
    key: ['game_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'role', 'added_at'],
    namesGame: true,
  },
  {
    name: 'reserved_addresses',
    table: 'reserved_slugs',
    key: ['slug', 'text'],
    person: ['user_id'],
    columns: ['slug', 'expires_at'],
  },
  {
    name: 'former_handles',
    table: 'former_handles',
    key: ['handle', 'text'],
    person: ['user_id'],
    columns: ['handle', 'renamed_at', 'reserved_until'],
  },
  {
    name: 'betas',
    table: 'beta_members',
    key: ['game_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'joined_at'],
    namesGame: true,
  },
  {
    name: 'follows',
    table: 'follows',
    key: ['follow_id', 'uuid'],
    person: ['user_id'],
    email: 'email',
    columns: ['game_id', 'email', 'language', 'followed_at', 'mailed_versions'],
    namesGame: true,
  },
  {
    name: 'game_invitations',
    table: 'game_invitations',
    key: ['invitation_id', 'uuid'],
    person: ['inviter_id'],
    email: 'email',
    columns: [
      ...['game_id', 'role', 'email', 'invited_by', 'state', 'invited_at', 'sent_at', 'expires_at', 'ended_at'],
    ],
    namesGame: true,
  },
  {
    name: 'team_invitations',
    table: 'team_invitations',
    key: ['invitation_id', 'uuid'],
    person: ['inviter_id'],
    email: 'email',
    columns: [
      ...['organisation_id', 'game_id', 'role', 'email', 'invited_by', 'state'],
      ...['invited_at', 'sent_at', 'expires_at', 'ended_at'],
    ],
    namesGame: true,
  },
  {
    name: 'approvals',
    table: 'approvals',
    key: ['approval_id', 'uuid'],
    person: ['owner_id', 'asker_id'],
    columns: [
      ...['approval_id', 'game_id', 'action', 'input', 'summary', 'asked_by', 'via', 'state'],
      ...['asked_at', 'expires_at', 'decided_at', 'decided_by'],
    ],
    namesGame: true,
  },
  {
    name: 'alert_subscriptions',
    table: 'alert_subscriptions',
    key: ['game_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'subscribed'],
    namesGame: true,
  },
  {
    name: 'alert_mails',
    table: 'alert_deliveries',
    key: ['delivery_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'message_id', 'state', 'attempts', 'last_attempt_at', 'problem'],
    namesGame: true,
  },
  {
    name: 'bug_tickets',
    table: 'bug_tickets',
    key: ['bug_id', 'uuid'],
    person: ['user_id'],
    email: 'reporter_email',
    columns: [
      ...['bug_id', 'game_id', 'number', 'filed_by', 'reporter_email', 'title', 'message', 'steps', 'status'],
      ...['build_id', 'os', 'arch', 'crash_id', 'language', 'filed_at', 'updated_at'],
    ],
    namesGame: true,
  },
  {
    name: 'bug_ticket_mails',
    table: 'bug_reporters',
    key: ['game_id', 'uuid'],
    person: [],
    email: 'address',
    columns: ['game_id', 'address', 'asked_at', 'confirmed_at', 'stopped_at'],
    namesGame: true,
  },
  {
    name: 'bug_replies',
    table: 'bug_replies',
    key: ['reply_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'bug_id', 'user_name', 'agent_name', 'message', 'to_duplicates', 'sent_at'],
    namesGame: true,
  },
  {
    name: 'page_reports',
    table: 'page_reports',
    key: ['report_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'reason', 'message', 'reported_at', 'closed_at'],
    namesGame: true,
  },
  {
    name: 'crash_group_activity',
    table: 'crash_group_activity',
    key: ['activity_id', 'uuid'],
    person: ['user_id'],
    columns: [
      ...['activity_id', 'game_id', 'group_id', 'kind', 'user_name', 'agent_name', 'before', 'after', 'comment'],
      'edited_at',
    ],
  },
  {
    name: 'game_visits',
    table: 'game_visits',
    key: ['game_id', 'uuid'],
    person: ['user_id'],
    columns: ['game_id', 'seen_at', 'last_visit_at'],
    namesGame: true,
  },
  {
    name: 'crash_groups_assigned',
    table: 'crash_groups',
    key: ['group_id', 'uuid'],
    person: ['assignee_id'],
    columns: ['game_id', 'group_id', 'status', 'priority'],
  },
  {
    name: 'bug_tickets_assigned',
    table: 'bug_tickets',
    key: ['bug_id', 'uuid'],
    person: ['assignee_id'],
    columns: ['game_id', 'bug_id', 'number', 'status'],
  },
  {
    name: 'audit_log',
    table: 'audit_entries',
    key: ['entry_id', 'uuid'],
    person: ['actor_id'],
    columns: [
      ...['entry_id', 'operation', 'actor_kind', 'actor_name', 'via', 'about_game', 'game_name', 'about_organisation'],
      ...['details', 'changes', 'outcome', 'address', 'client'],
    ],
  },
];
