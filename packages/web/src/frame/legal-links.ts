// Links to the operator's imprint, privacy policy and terms of use, which the server wrote into the document.

type LegalLink = { readonly page: 'imprint' | 'privacy' | 'terms'; readonly label: string; readonly url: string };

export const legalLinks: readonly LegalLink[] = readLinks();

function readLinks(): LegalLink[] {
  const text = document.getElementById('legal')?.textContent ?? '';
  return JSON.parse(text === '' ? '[]' : text);
}
