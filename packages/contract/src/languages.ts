// The languages that a form offers for a game, and their names.

/** Other language tags are possible too. */
export const LANGUAGES = [
  ...[
    'ar',
    'bg',
    'ca',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'es',
    'es-MX',
    'et',
    'eu',
    'fa',
    'fi',
    'fr',
    'gl',
    'he',
    'hi',
    'hr',
  ],
  ...[
    'hu',
    'id',
    'is',
    'it',
    'ja',
    'ko',
    'lt',
    'lv',
    'ms',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'ro',
    'ru',
    'sk',
    'sl',
    'sr',
  ],
  ...['sv', 'ta', 'th', 'tr', 'uk', 'vi', 'zh-Hans', 'zh-Hant'],
];

const names = new Intl.DisplayNames('en', { type: 'language' });

/** `Brazilian Portuguese` for `pt-BR`. A tag without a name stays as it is. */
export function formatLanguage(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
