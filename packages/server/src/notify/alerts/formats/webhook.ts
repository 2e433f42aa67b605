// Messages for webhooks of your own: JSON, signed as Standard Webhooks describes (https://www.standardwebhooks.com).
import { createHmac } from 'node:crypto';
import { deriveKey } from '../../../kernel/secrets/signed-token.ts';
import type { Message } from '../message.ts';

/** docs/alerts.md describes it. Fields may be added, but none is removed or changes its meaning. */
export function webhookBody({ game, ...message }: Message): object {
  return {
    type: message.reason,
    message_uid: message.messageId,
    delivery_uid: message.deliveryId,
    created_at: message.createdAt.toISOString(),
    game,
    alerts: message.lines.map(({ kind, heading, text, path, at, data }) => ({
      kind,
      at,
      title: heading,
      text,
      url: `${message.site}${path}`,
      data,
    })),
    more: message.more,
  };
}

type Destination = { readonly destinationId: string; readonly secretVersion: number };

/** The secret as people see it, which nothing stores: `whsec_` and 32 bytes in base64. */
export function secretOf(serviceSecret: string, destination: Destination): string {
  return `whsec_${keyOf(serviceSecret, destination).toString('base64')}`;
}

/** The headers that say what is delivered, when, and that it is from this service. `now` is when it is sent. */
export function signedHeaders(
  serviceSecret: string,
  destination: Destination,
  { deliveryId, body, now }: { deliveryId: string; body: string; now: Date },
): Record<string, string> {
  const seconds = String(Math.floor(now.getTime() / 1000));
  const mac = createHmac('sha256', keyOf(serviceSecret, destination))
    .update(`${deliveryId}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': deliveryId, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
}

function keyOf(serviceSecret: string, { destinationId, secretVersion }: Destination): Buffer {
  return deriveKey(serviceSecret, `webhook ${destinationId} ${secretVersion}`);
}
