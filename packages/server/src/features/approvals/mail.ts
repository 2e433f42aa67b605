// The words of the mail that asks a game's owner to approve.
import type { Mail } from '../../kernel/mail.ts';

type Request = {
  to: string;
  game: string;
  summary: string;
  consequences: readonly string[];
  askedBy: string;
  via: string;
  url: string;
  code: string;
};

/** Names come from people and programs: each stays on its line, in quotes, and cannot pose as a line of this mail. */
export function approvalMail(request: Request): Mail {
  const { askedBy, via, url, code } = request;
  const [game, summary] = [oneLine(request.game), oneLine(request.summary)];
  return {
    to: request.to,
    subject: `Approve? ${summary} (${game})`,
    text: [
      `A change to your game “${game}” waits for you:`,
      `    ${summary}`,
      `Asked for by “${oneLine(askedBy)}”, through “${oneLine(via)}”.`,
      ['What it changes:', ...request.consequences.map((line) => `  - ${oneLine(line)}`)].join('\n'),
      'See it, and approve or deny it, here:',
      url,
      `Or give this code to who asked, which approves it: ${code}`,
      'Link and code are valid for 24 hours. Nothing happens unless you approve. If you know nothing of this, deny it and look at the agents that are connected to your account.\n',
    ].join('\n\n'),
  };
}

const MOST = 200;

function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return plain.length > MOST ? `${plain.slice(0, MOST)}…` : plain;
}
