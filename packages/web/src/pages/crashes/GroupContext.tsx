// What is known around a crash group: whom it hits, tickets, related groups, what happened to it, and its reports. Loaded
// after what is needed to understand the crash.
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { Section } from '../../ui/Section.tsx';
import { ShowNewButton } from '../../ui/ShowNewButton.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { Explanation } from './Explanation.tsx';
import { GroupActivity } from './GroupActivity.tsx';
import { GroupBugs } from './GroupBugs.tsx';
import { Impact } from './Impact.tsx';
import { MergedGroups, SplitButton, SplitLinks } from './RelatedGroups.tsx';
import { ReportTable } from './ReportTable.tsx';
import { SimilarGroups } from './SimilarGroups.tsx';
import type { GroupDetail } from './TrendChart.tsx';
import type { LiveList } from './use-live-list.ts';
import { formatShowNewReports, type ListedReport } from './use-reports.ts';
import type { Triage } from './use-triage.ts';

export type GroupContextProps = {
  game: OpenGame;
  group: GroupDetail;
  stack: CrashStack | undefined;
  reports: LiveList<ListedReport>;
  triage: Triage;
};

export function GroupContext({ game, group, stack, reports, triage }: GroupContextProps) {
  return (
    <>
      <Section title="Impact">
        <Impact game={game} scope={{ group_id: group.group_id }} />
      </Section>
      <GroupBugs game={game} groupId={group.group_id} />
      <MergedGroups group={group} triage={triage} />
      <SimilarGroups game={game} groupId={group.group_id} triage={triage} />
      <Section title="How this was grouped" actions={<SplitButton group={group} stack={stack} triage={triage} />}>
        <SplitLinks slug={game.slug} group={group} />
        <Explanation notes={group.explanation} />
      </Section>
      <GroupActivity groupId={group.group_id} />
      <Section title="Reports" actions={<ShowNewButton list={reports} format={formatShowNewReports} />}>
        <ReportTable slug={game.slug} list={reports} />
      </Section>
    </>
  );
}
