// Puts names that people chose into the text of a mail.

const MAX_LENGTH = 200;

/** On one line, so that a name cannot pose as a line of the mail, nor as a header. */
export function oneLine(name: string): string {
  const [...characters] = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : characters.join('');
}

/** In quotation marks, which it cannot leave. */
export function quote(name: string): string {
  return `“${oneLine(name.replace(/[“”]+/g, ' '))}”`;
}
