// The document around public pages, which the build of the website gives its styles and scripts.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WEBSITE_FOLDER } from '../../folders.ts';
import { fillHead, type PageHead } from '../page-head.ts';
import type { Html } from './html.ts';
import type { PublicPage } from './visit.ts';

/** Its name is also in the build of the website, packages/web/vite.config.ts. */
const TEMPLATE = 'public.html';
const SCHEME = '<script src="/scheme.js"></script>';
const COMMENTS = /^\s*\/\/.*\n/gm;
const MAIN_PLACE = '<!--page-->';

/** What a page may load in addition to its own files: frames of these origins, and videos of this site. */
export type PageNeeds = Pick<PublicPage, 'frames' | 'playsVideos'>;

export type PublicDocument = {
  fill(head: PageHead, body: Html): string;
  /** The Content-Security-Policy of a page. */
  policy(needs: PageNeeds): string;
};

export function readPublicDocument(): PublicDocument {
  const { document, scriptSource } = includeScheme(readFileSync(join(WEBSITE_FOLDER, TEMPLATE), 'utf8'));
  return {
    fill: (head, body) => fillHead(document, head).replace(MAIN_PLACE, () => body.text),
    policy: (needs) => policyOf(scriptSource, needs),
  };
}

/**
 * The script that sets the colour scheme becomes part of the page, which would otherwise wait for it. `scriptSource`
 * allows it in the Content-Security-Policy.
 */
export function includeScheme(template: string): { readonly document: string; readonly scriptSource: string } {
  const scheme = readFileSync(join(WEBSITE_FOLDER, 'scheme.js'), 'utf8').replaceAll(COMMENTS, '');
  return {
    document: template.replace(SCHEME, () => `<script>${scheme}</script>`),
    scriptSource: `'sha256-${hash('sha256', scheme, 'base64')}'`,
  };
}

/**
 * Only the site's own files. Images may come from the bucket that stores them, and the players of a page's videos from
 * their websites.
 */
function policyOf(scriptSource: string, { frames = [], playsVideos = false }: PageNeeds): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scriptSource}`,
    "style-src 'self'",
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    ...(playsVideos ? ["media-src 'self'"] : []),
    ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
