// The email that asks the owners of a game to approve a change.
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';

type Request = {
  to: string;
  game: string;
  summary: string;
  consequences: readonly string[];
  askedBy: string;
  via: string;
  url: string;
  /** Null if the agent cannot pass on a code from this person. */
  code: string | null;
};

export function approvalEmail({ to, game, summary, consequences, askedBy, via, url, code }: Request): Email {
  return {
    to,
    subject: `Approve? ${oneLine(summary)} (${oneLine(game)})`,
    text: [
      `A change to your game ${quote(game)} needs your approval:`,
      `    ${oneLine(summary)}`,
      `Requested by ${quote(askedBy)} through ${quote(via)}.`,
      ['What will change:', ...consequences.map((line) => `  - ${oneLine(line)}`)].join('\n'),
      'Approve or deny it:',
      url,
      ...(code === null
        ? ['Any owner of the game can decide. The link expires in 24 hours. Nothing changes unless an owner approves.']
        : [
            'To approve it from the agent instead, give the agent this code.',
            `Confirmation code: ${code}`,
            'The link and the code expire in 24 hours. Nothing changes unless you approve.',
          ]),
      "If you didn't expect this, deny it and check the agents connected to your account.\n",
    ].join('\n\n'),
  };
}
