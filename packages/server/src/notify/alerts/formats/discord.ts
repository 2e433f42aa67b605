// Messages for Discord's webhooks (https://docs.discord.com/developers/resources/webhook#execute-webhook).
import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10';
import { type Message, restOf, subjectOf } from '../message.ts';

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4096;
/** Room for the last line, about what has no separate line. */
const REST_ROOM = 400;

export function discordMessage(message: Message): RESTPostAPIWebhookWithTokenJSONBody {
  const lines: string[] = [];
  let length = 0;
  for (const { heading, text, path, details = [] } of message.lines) {
    const line = [
      `- **[${heading}](${message.site}${path})**: ${escapeMarkdown(text)}`,
      ...details.map((each) => `  - [${escapeMarkdown(each.text)}](${message.site}${each.path})`),
    ].join('\n');
    length += line.length + 1;
    if (length > MAX_DESCRIPTION - REST_ROOM) break;
    lines.push(line);
  }
  const rest = lines.length < message.lines.length ? 'and more' : restOf(message);
  return {
    embeds: [
      {
        title: [...subjectOf(message)].slice(0, MAX_TITLE / 2).join(''),
        url: message.game.url,
        description: [...lines, ...(rest === '' ? [] : [rest])].join('\n'),
        timestamp: message.createdAt.toISOString(),
      },
    ],
    // A name must not notify everyone in the channel.
    allowed_mentions: { parse: [] },
  };
}

/** Text that Discord shows as it is. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#@:-]/g, '\\$&');
}
