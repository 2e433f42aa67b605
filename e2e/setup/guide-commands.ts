// Reads the commands in the guides: every block of `sh` and `bash` of docs/, except in generated pages.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOC_PAGES } from '@chauffeur/contract/docs';

const DOCS = join(import.meta.dirname, '../../docs');
const GENERATED: readonly string[] = ['api', 'config', 'errors', 'mcp-tools', 'metrics', 'changelog'];

export type GuideCommands = {
  readonly page: string;
  /** The page and the first line, which identify the block. */
  readonly name: string;
  readonly text: string;
  /** The block of JSON before it, which readers save to a file. */
  readonly json: string | undefined;
};

const BLOCK = /^( *)```(sh|bash|json)\n([\s\S]*?)\n\1```$/gm;

export async function readGuideCommands(): Promise<GuideCommands[]> {
  const pages = DOC_PAGES.map(({ page }) => page).filter((page) => !GENERATED.includes(page));
  return (await Promise.all(pages.map(readPage))).flat();
}

async function readPage(page: string): Promise<GuideCommands[]> {
  const markdown = await readFile(join(DOCS, `${page}.md`), 'utf8');
  let json: string | undefined;
  const found: GuideCommands[] = [];
  for (const [, indent = '', language, block = ''] of markdown.matchAll(BLOCK)) {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (language === 'json') json = text;
    else found.push({ page, name: `${page}: ${text.split('\n', 1)[0]}`, text, json });
  }
  return found;
}
