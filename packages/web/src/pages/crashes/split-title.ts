// Finds the name of the function in the title of a crash group, so that a narrow list can cut what is around it.

export type TitleParts = {
  /** Other functions of the signature, and the namespaces and classes of this one. */
  readonly before: string;
  readonly name: string;
  /** Template and other arguments. */
  readonly after: string;
};

const OPENING = '(<[{';
const CLOSING = ')>]}';
const OPERATOR = /operator(?:\(\)|\[\]|[^\w\s()]+)/y;
const SEPARATOR = /::|[.!]|->/y;

/** Returns null for a title that is not a function, such as a message. */
export function splitTitle(title: string): TitleParts | null {
  // The last function of a signature is what the ones before it lead to.
  const first = title.lastIndexOf(' | ') + 1;
  let start = first === 0 ? 0 : first + 2;
  let end: number | null = null;
  let depth = 0;
  for (let at = start; at < title.length; ) {
    const char = title.charAt(at);
    const operator = depth === 0 && at === start ? lengthAt(OPERATOR, title, at) : 0;
    const separator = depth === 0 ? lengthAt(SEPARATOR, title, at) : 0;
    if (operator > 0) {
      at += operator;
    } else if (separator > 0) {
      at += separator;
      start = at;
      end = null;
    } else {
      if (depth === 0 && char === ' ') return null;
      if (OPENING.includes(char)) {
        if (depth === 0) end ??= at;
        depth++;
      } else if (CLOSING.includes(char)) {
        depth--;
      }
      at++;
    }
  }
  end ??= title.length;
  if (depth !== 0 || end === start) return null;
  return { before: title.slice(0, start), name: title.slice(start, end), after: title.slice(end) };
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
