// Alerts: what members of a game are notified of by email, in their chat or by a webhook, and when.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import {
  CursorQuery,
  Foreign,
  GameParams,
  GameRef,
  Line,
  LinkToken,
  NextCursor,
  Nullable,
  Timestamp,
  Uuid,
  WebAddress,
} from './fields.ts';

/** What can cause an alert, in the order of the settings. docs/alerts.md describes each. */
export const ALERT_KINDS = [
  'new_group',
  'regression',
  'snooze_ended',
  'spike',
  'first_crash',
  'new_error_group',
  'health_dropped',
  'rollout',
  'new_bug',
  'upload_rejected',
  'quota_low',
  'weekly_summary',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** `now`: within a minute. `digest`: once a day. */
export const ALERT_TIMINGS = ['now', 'digest', 'never'] as const;
export const DESTINATION_KINDS = ['slack', 'discord', 'teams', 'webhook'] as const;
export const MESSAGE_REASONS = ['alerts', 'digest', 'test'] as const;
/** What the links of an alert about a crash group offer to do. */
export const ALERT_ACTIONS = ['assign', 'resolve', 'snooze'] as const;
export type AlertAction = (typeof ALERT_ACTIONS)[number];
export const DELIVERY_STATES = ['waiting', 'sent', 'failed'] as const;

const Kind = Type.Enum([...ALERT_KINDS]);
const TimeOfDay = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'a time such as 22:00, in the time zone of the settings',
});
const QuietHours = Type.Object({ from: TimeOfDay, until: TimeOfDay });

const RuleFields = {
  send: Type.Enum([...ALERT_TIMINGS], {
    description: 'now: within a minute; digest: in a message once a day; never: not at all',
  }),
  repeat_hours: Type.Integer({
    minimum: 1,
    maximum: LIMITS.alertRepeatHours,
    description: 'Hours in which the same group, build or game causes at most one such alert',
  }),
  muted_until: Nullable(Timestamp),
};

const AlertRule = Type.Object({ kind: Kind, ...RuleFields });

const AlertSettings = Type.Object({
  time_zone: Type.String({ description: 'A name of the IANA database, such as Europe/Berlin' }),
  digest_at: TimeOfDay,
  quiet_hours: Nullable(QuietHours),
  rules: Type.Array(AlertRule, { description: 'One for each kind of alert' }),
  mail: Type.Object({
    subscribed: Type.Boolean({ description: 'Whether the caller gets alerts by email' }),
    subscribers: Type.Array(Type.String({ description: 'The name of a member who does' })),
  }),
});

export const getAlerts = defineOperation({
  id: 'alerts.get',
  summary: 'Get which alerts a game sends, when, and who gets them by email',
  method: 'GET',
  path: '/games/{uid}/alerts',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: AlertSettings,
  statuses: [200],
  errors: ['notFound'],
});

export const updateAlerts = defineOperation({
  id: 'alerts.update',
  summary: 'Change which alerts a game sends, and when; fields that are left out stay as they are',
  method: 'PATCH',
  path: '/games/{uid}/alerts',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: Type.Object({
    time_zone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A name of the IANA database, such as Europe/Berlin' }),
    ),
    digest_at: Type.Optional(TimeOfDay),
    quiet_hours: Type.Optional(Nullable(QuietHours)),
    rules: Type.Optional(
      Type.Array(
        Type.Object({
          kind: Kind,
          send: Type.Optional(RuleFields.send),
          repeat_hours: Type.Optional(RuleFields.repeat_hours),
          muted_until: Type.Optional(RuleFields.muted_until),
        }),
        { maxItems: ALERT_KINDS.length },
      ),
    ),
  }),
  output: AlertSettings,
  statuses: [200],
  errors: ['notFound'],
});

export const subscribeToAlerts = defineOperation({
  id: 'alerts.subscribe',
  summary: "Turn emails with a game's alerts on or off for the caller",
  method: 'PUT',
  path: '/games/{uid}/alerts/mail',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  body: Type.Object({ subscribed: Type.Boolean() }),
  output: AlertSettings,
  statuses: [200],
  errors: ['notFound'],
});

export const unsubscribeFromAlerts = defineOperation({
  id: 'alerts.unsubscribe',
  summary: "Stop emails with a game's alerts, with the link from such an email; email apps call it with one click",
  method: 'POST',
  path: '/public/alerts/unsubscribe',
  access: 'public',
  audit: true,
  query: Type.Object({ token: Type.String({ maxLength: 1000, description: 'From the link in the email' }) }),
  bodyKind: 'bytes',
  output: Type.Object({ game: Type.String({ description: 'The name of the game' }) }),
  statuses: [200],
  errors: ['notFound'],
});

const AlertDestination = Type.Object({
  destination_uid: Uuid,
  kind: Type.Enum([...DESTINATION_KINDS]),
  name: Type.String(),
  host: Type.String({ description: 'The host of its address, which is not shown again' }),
  kinds: Nullable(Type.Array(Kind, { description: 'The kinds of alerts that it gets; null: all' })),
  enabled: Type.Boolean(),
  created_by: Type.String(),
  created_at: Timestamp,
  last_test: Nullable(
    Type.Object(
      { at: Timestamp, problem: Nullable(Foreign(Type.String({ description: 'Why it did not arrive' }))) },
      { description: 'The last test; null before the first one, and after a change of the address' },
    ),
  ),
  last: Nullable(
    Type.Object(
      { at: Timestamp, state: Type.Enum([...DELIVERY_STATES]), problem: Nullable(Foreign(Type.String())) },
      { description: 'The newest delivery' },
    ),
  ),
});

const Address = WebAddress('The https address to which messages are posted', LIMITS.webhookAddressLength);
const DestinationName = Line('name', { minLength: 1, maxLength: LIMITS.destinationNameLength });
const KindsInput = Nullable(Type.Array(Kind, { minItems: 1, maxItems: ALERT_KINDS.length, uniqueItems: true }));
const Secret = Nullable(
  Type.String({ description: 'Signs the messages of a webhook (whsec_…), and is not shown again; null for chats' }),
);

export const listAlertDestinations = defineOperation({
  id: 'alerts.listDestinations',
  summary: "List the chats and webhooks that get a game's alerts",
  method: 'GET',
  path: '/games/{uid}/alert-destinations',
  access: 'account',
  role: 'admin',
  params: GameParams,
  output: Type.Object({ destinations: Type.Array(AlertDestination) }),
  statuses: [200],
  errors: ['notFound'],
});

export const addAlertDestination = defineOperation({
  id: 'alerts.addDestination',
  summary: "Send a game's alerts to Slack, Discord, Microsoft Teams or a webhook",
  method: 'POST',
  path: '/games/{uid}/alert-destinations',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: Type.Object({
    kind: Type.Enum([...DESTINATION_KINDS]),
    name: DestinationName,
    url: Address,
    kinds: Type.Optional(KindsInput),
    send_test: Type.Optional(
      Type.Boolean({
        description:
          'Whether to send a test message and wait for the result, which is last_test of the response; true by default. A destination whose test fails is kept.',
      }),
    ),
  }),
  output: Type.Object({ destination: AlertDestination, secret: Secret }),
  secret: true,
  statuses: [201],
  errors: ['notFound', 'limitReached'],
});

const DestinationParams = Type.Object({ uid: GameRef, destination_uid: Uuid });

export const updateAlertDestination = defineOperation({
  id: 'alerts.updateDestination',
  summary: 'Change a destination of alerts; fields that are left out stay as they are',
  method: 'PATCH',
  path: '/games/{uid}/alert-destinations/{destination_uid}',
  access: 'account',
  role: 'admin',
  params: DestinationParams,
  body: Type.Object({
    name: Type.Optional(DestinationName),
    url: Type.Optional(Address),
    kinds: Type.Optional(KindsInput),
    enabled: Type.Optional(Type.Boolean()),
  }),
  output: AlertDestination,
  statuses: [200],
  errors: ['notFound'],
});

export const deleteAlertDestination = defineOperation({
  id: 'alerts.deleteDestination',
  summary: 'Delete a destination of alerts, with the log of its deliveries',
  method: 'DELETE',
  path: '/games/{uid}/alert-destinations/{destination_uid}',
  access: 'account',
  role: 'admin',
  params: DestinationParams,
  output: Type.Object({ deleted: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});

export const rotateAlertSecret = defineOperation({
  id: 'alerts.rotateSecret',
  summary: 'Replace the secret that signs the messages of a webhook; the old one stops working immediately',
  method: 'POST',
  path: '/games/{uid}/alert-destinations/{destination_uid}/secret',
  access: 'account',
  role: 'admin',
  params: DestinationParams,
  output: Type.Object({ secret: Secret }),
  secret: true,
  statuses: [200],
  errors: ['notFound'],
});

const AlertDelivery = Type.Object({
  delivery_uid: Uuid,
  message_uid: Uuid,
  reason: Type.Enum([...MESSAGE_REASONS]),
  destination_uid: Nullable(Uuid),
  to: Type.String({ description: 'The name of the destination, or of the member who gets the email' }),
  subject: Foreign(Type.String()),
  state: Type.Enum([...DELIVERY_STATES]),
  attempts: Type.Integer(),
  last_attempt_at: Nullable(Timestamp),
  status: Nullable(Type.Integer({ description: 'HTTP status of the last attempt' })),
  problem: Nullable(Foreign(Type.String({ description: 'Why the last attempt failed' }))),
  created_at: Timestamp,
});

export const testAlertDestination = defineOperation({
  id: 'alerts.testDestination',
  summary: 'Send a test message to a destination now, and return what happened',
  method: 'POST',
  path: '/games/{uid}/alert-destinations/{destination_uid}/test',
  access: 'account',
  role: 'admin',
  params: DestinationParams,
  output: AlertDelivery,
  statuses: [200],
  errors: ['notFound', 'limitReached'],
});

export const listAlertDeliveries = defineOperation({
  id: 'alerts.listDeliveries',
  summary: 'List the messages of the last 30 days, delivered and pending, newest first',
  method: 'GET',
  path: '/games/{uid}/alert-deliveries',
  access: 'account',
  role: 'admin',
  params: GameParams,
  query: Type.Object({
    destination_uid: Type.Optional(Uuid),
    state: Type.Optional(Type.Enum([...DELIVERY_STATES])),
    ...CursorQuery,
  }),
  output: Type.Object({ deliveries: Type.Array(AlertDelivery), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
});

export const redeliverAlert = defineOperation({
  id: 'alerts.redeliver',
  summary: 'Deliver a message again, with the same delivery id',
  method: 'POST',
  path: '/games/{uid}/alert-deliveries/{delivery_uid}/redeliver',
  access: 'account',
  role: 'admin',
  params: Type.Object({ uid: GameRef, delivery_uid: Uuid }),
  output: AlertDelivery,
  statuses: [202],
  errors: ['notFound', 'limitReached'],
});

export const getAlertAction = defineOperation({
  id: 'alerts.getAction',
  summary: 'Get the action that a link in an alert offers; to take it, change the crash group',
  method: 'GET',
  path: '/games/{uid}/alert-actions/{token}',
  access: 'account',
  tokenScope: 'none',
  role: 'viewer',
  params: Type.Object({ uid: GameRef, token: LinkToken }),
  output: Type.Object({ action: Type.Enum([...ALERT_ACTIONS]), group_id: Uuid, expires_at: Timestamp }),
  statuses: [200],
  errors: ['notFound'],
});
