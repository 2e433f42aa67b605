// The texts of the website's program: messages are parsed before they get to browsers, which therefore need no parser.
// The server writes the texts of one language into the document; in development, this does.
import { writeProgramTexts } from '@chauffeur/contract/texts/catalogue';
import { isLanguage, LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { Plugin } from 'vite';

const PLACE = '<script type="application/json" id="texts">';

export function programTexts(): Plugin {
  return {
    name: 'program texts',
    transformIndexHtml(html, { server, originalUrl = '/' }) {
      if (server === undefined) return html;
      const named = new URL(originalUrl, 'http://localhost').searchParams.get('lang') ?? undefined;
      const language = isLanguage(named) ? named : LANGUAGES[0];
      return html.replace(PLACE, () => PLACE + writeProgramTexts(language, 'pages with texts'));
    },
  };
}
