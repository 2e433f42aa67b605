// Reporting the page of a game to the operators, without JavaScript or an account.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { REPORT_REASONS, type ReportReason, reportPage } from '@chauffeur/contract/operations/moderation';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { formatReportReason } from '@chauffeur/contract/store-format';
import { html } from './html.ts';
import type { PublicPage, SubmitForm, Visit } from './visit.ts';

export async function writeReportPage({ ctx, ask, caller, params, query }: Visit): Promise<PublicPage> {
  const { uid = '' } = params;
  const game = await ask(getPublicGame, caller, { uid });
  const back = html`<p><a href="/g/${game.slug}">Back to <bdi>${game.name}</bdi></a></p>`;
  const head = {
    title: `Report ${game.name}`,
    description: '',
    url: `${ctx.publicUrl}/g/${game.slug}/report-page`,
    isHidden: true,
  };
  if (query.state === 'sent')
    return {
      status: 200,
      head,
      main: html`<div class="narrow"><h1>Thank you</h1><p role="status">The operators of this site will look at the page.</p>${back}</div>`,
    };
  const isIncomplete = query.state === 'incomplete';
  return {
    status: 200,
    head,
    main: html`<div class="narrow">
<h1>Report the page of <bdi>${game.name}</bdi></h1>
<p>The operators of this site get your report. Its developers don't. If the game has a bug, <a href="/g/${game.slug}/report">report the bug</a> instead.</p>
<form class="stacked" method="post">
<label>Reason<select name="reason" required>
<option value="">Choose a reason</option>
${REPORT_REASONS.map((reason) => html`<option value="${reason}">${formatReportReason(reason)}</option>`)}
</select></label>
<label>What is wrong?<textarea name="message" required rows="6" maxlength="${LIMITS.pageReportLength}"></textarea></label>
${isIncomplete && html`<p class="alert" role="alert">Choose a reason, and say what is wrong in up to ${LIMITS.pageReportLength} characters.</p>`}
<button class="button filled">Send report</button>
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
    if (error instanceof ApiError && error.code === 4002) return `/g/${uid}/report-page?state=incomplete`;
    throw error;
  }
};
