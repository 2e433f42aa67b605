// Puts names chosen by people into the text of a mail.

const MAX_LENGTH = 200;

/** Puts a name on one line, so that it cannot pose as another line of the mail or as a header. */
export function oneLine(name: string): string {
  const [...characters] = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : characters.join('');
}

/** Puts a name in quotation marks, which it cannot close. */
export function quote(name: string): string {
  return `“${oneLine(name.replace(/[“”]+/g, ' '))}”`;
}
