// Messages for Microsoft Teams, as an adaptive card: the body that its workflow "Post to a channel when a webhook request
// is received" expects (https://adaptivecards.io/explorer). Text runs have no formatting inside.
import { type Message, restOf, subjectOf } from '../message.ts';

type TextRun = {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly selectAction?: { readonly type: 'Action.OpenUrl'; readonly url: string };
};
type RichTextBlock = { readonly type: 'RichTextBlock'; readonly inlines: readonly TextRun[] };

export type TeamsMessage = {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: {
        readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
        readonly type: 'AdaptiveCard';
        readonly version: '1.4';
        readonly body: readonly RichTextBlock[];
        readonly actions: readonly { readonly type: 'Action.OpenUrl'; readonly title: string; readonly url: string }[];
      };
    },
  ];
};

export function teamsMessage(message: Message): TeamsMessage {
  const block = (...inlines: TextRun[]): RichTextBlock => ({ type: 'RichTextBlock', inlines });
  const rest = restOf(message);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block({ type: 'TextRun', text: subjectOf(message), weight: 'Bolder' }),
            ...message.lines.flatMap(({ heading, text, path, details = [] }) => [
              block(
                {
                  type: 'TextRun',
                  text: heading,
                  selectAction: { type: 'Action.OpenUrl', url: `${message.site}${path}` },
                },
                { type: 'TextRun', text: `: ${text}` },
              ),
              ...details.map((each) =>
                block({
                  type: 'TextRun',
                  text: each.text,
                  selectAction: { type: 'Action.OpenUrl', url: `${message.site}${each.path}` },
                }),
              ),
            ]),
            ...(rest === '' ? [] : [block({ type: 'TextRun', text: rest })]),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open the game', url: message.game.url }],
        },
      },
    ],
  };
}
