// Messages for Slack's incoming webhooks, in its Block Kit (https://docs.slack.dev/reference/block-kit/blocks). Texts
// of alerts are elements of rich text, in which nothing is a mention or a link.
import type { AnyBlock, RichTextList, RichTextSection } from '@slack/types';
import { type Message, restOf, subjectOf } from '../message.ts';

/** The longest text of a header block. */
const MAX_HEADER = 150;

export function slackMessage(message: Message): { text: string; blocks: AnyBlock[] } {
  const subject = subjectOf(message);
  const rest = restOf(message);
  const item = (...elements: RichTextSection['elements']): RichTextSection => ({ type: 'rich_text_section', elements });
  const listOf = (elements: RichTextSection[], indent: number): RichTextList => ({
    type: 'rich_text_list',
    style: 'bullet',
    indent,
    elements,
  });
  const lists = message.lines.flatMap(({ heading, text, path, details = [] }) => [
    listOf(
      [
        item(
          { type: 'link', url: `${message.site}${path}`, text: heading, style: { bold: true } },
          { type: 'text', text: `: ${text}` },
        ),
      ],
      0,
    ),
    ...(details.length === 0
      ? []
      : [
          listOf(
            details.map((each) => item({ type: 'link', url: `${message.site}${each.path}`, text: each.text })),
            1,
          ),
        ]),
  ]);
  return {
    // This is the text of notifications, where the three characters would begin a mention or a link.
    text: subject.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: [...subject].slice(0, MAX_HEADER).join(''), emoji: false } },
      ...(lists.length === 0 ? [] : [{ type: 'rich_text' as const, elements: lists }]),
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              ...(rest === '' ? [] : [{ type: 'text' as const, text: `${rest}. ` }]),
              { type: 'link', url: message.game.url, text: 'Open the game' },
            ],
          },
        ],
      },
    ],
  };
}
