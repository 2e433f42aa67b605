// Reporting the page of a game to the operators, without JavaScript or an account.
import { isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { REPORT_REASONS, type ReportReason, reportPage } from '@chauffeur/contract/operations/moderation';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { html } from './html.ts';
import { writeFormImage } from './parts.ts';
import type { PublicPage, SubmitForm, Visit } from './visit.ts';

export async function writeReportPage({ ctx, ask, caller, params, query, texts }: Visit): Promise<PublicPage> {
  const { uid = '' } = params;
  const game = await ask(getPublicGame, caller, { uid });
  const name = html`<bdi>${game.name}</bdi>`;
  const back = html`<p><a href="/g/${game.slug}">${texts.html('follow.back', { game: name })}</a></p>`;
  const head = {
    title: texts.t('report.title', { game: game.name }),
    description: '',
    url: `${ctx.publicUrl}/g/${game.slug}/report-page`,
    isHidden: true,
  };
  if (query.state === 'sent')
    return {
      status: 200,
      head,
      main: html`<div class="panel">${writeFormImage(game)}<h1>${texts.t('report.thanks')}</h1><p role="status">${texts.t('report.thanks.text')}</p>${back}</div>`,
    };
  const isIncomplete = query.state === 'incomplete';
  return {
    status: 200,
    head,
    main: html`<div class="panel">
${writeFormImage(game)}
<h1>${texts.html('report.heading', { game: name })}</h1>
<p>${texts.html('report.text', { link: (text) => html`<a href="/g/${game.slug}/report">${text}</a>` })}</p>
<form class="stacked" method="post">
<label>${texts.t('report.reason')}<select name="reason" required>
<option value="">${texts.t('report.reason.choose')}</option>
${REPORT_REASONS.map((reason) => html`<option value="${reason}">${texts.t(`report.reason.${reason}`)}</option>`)}
</select></label>
<label>${texts.t('report.message')}<textarea name="message" required rows="6" maxlength="${LIMITS.pageReportLength}"></textarea></label>
${isIncomplete && html`<p class="alert" role="alert">${texts.t('report.incomplete', { count: LIMITS.pageReportLength })}</p>`}
<button class="button filled">${texts.t('report.send')}</button>
</form>
${back}
</div>`,
  };
}

export const submitReport: SubmitForm = async (
  { ask, caller, params: { uid = '' } },
  { reason = '', message = '' },
) => {
  try {
    // Browsers send line breaks of forms as two characters.
    const text = message.replaceAll('\r\n', '\n');
    await ask(reportPage, caller, { uid, reason: reason as ReportReason, message: text });
    return `/g/${uid}/report-page?state=sent`;
  } catch (error) {
    if (isError(error, 'invalid')) return `/g/${uid}/report-page?state=incomplete`;
    throw error;
  }
};
