// The code in a section of the documentation that the server serves, so that a page can show it with a game's ids.
import { fillIn, type Ids } from '../../docs/placeholders.ts';

/**
 * Returns the code blocks of a section, such as `unity#send-crash-reports`, with the ids filled in. Throws if the server
 * can't be reached, or has no such page.
 */
export async function readGuideCode(address: string, ids: Ids): Promise<string[]> {
  const [page = '', section = ''] = address.split('#');
  const response = await fetch(`/docs/${page}`);
  if (!response.ok) throw new Error(`The server returned ${response.status} for the documentation.`);
  const document = new DOMParser().parseFromString(await response.text(), 'text/html');
  const code: string[] = [];
  const heading = document.getElementById(section);
  for (let part = heading?.nextElementSibling ?? null; part !== null; part = part.nextElementSibling) {
    if (part.tagName === heading?.tagName) break;
    const blocks = part.matches('[data-code]') ? [part] : [...part.querySelectorAll('[data-code]')];
    code.push(...blocks.map((block) => fillIn(block.textContent?.trimEnd() ?? '', ids)));
  }
  return code;
}
