// What is new in a game since the person's last visit, on its overview.
import { formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { type getGameOverview, OVERVIEW_DAYS } from '@chauffeur/contract/operations/game-overview';
import { List, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { formatItems } from '../../ui/format.ts';
import { Section } from '../../ui/PageLayout.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';

type News = OutputOf<typeof getGameOverview>['news'];
type Change = News['channel_changes']['newest'][number];
type Item = { readonly key: string; readonly content: ReactNode };

export function News({ slug, news }: { slug: string; news: News }) {
  const items = itemsOf(slug, news);
  return (
    <Section
      title={news.is_first_visit ? `New in the last ${OVERVIEW_DAYS} days` : 'New since your last visit'}
      actions={
        news.is_first_visit ? undefined : (
          <Text size="sm" c="dimmed">
            <Time at={news.since} />
          </Text>
        )
      }
    >
      {items.length === 0 ? (
        <Text size="sm">No new crash groups, bug reports or channel changes.</Text>
      ) : (
        <List size="sm" spacing={6} style={{ overflowWrap: 'anywhere' }}>
          {items.map(({ key, content }) => (
            <List.Item key={key}>{content}</List.Item>
          ))}
        </List>
      )}
    </Section>
  );
}

/** What needs a person comes first. */
function itemsOf(slug: string, news: News): Item[] {
  const { approvals, regressions, new_groups: groups, bugs, refused, channel_changes: changes } = news;
  return [
    ...approvals.map(({ approval_uid: uid, summary }) => ({
      key: uid,
      content: (
        <>
          Waiting for your approval:{' '}
          <SiteLink to="/approve/$uid" params={{ uid }} size="sm" underline="always">
            {summary}
          </SiteLink>
        </>
      ),
    })),
    ...itemOf('regressions', regressions.count, () => (
      <>
        {formatItems(regressions.count, 'crash group')} came back: <GroupLinks slug={slug} groups={regressions} />
      </>
    )),
    ...itemOf('groups', groups.count, () => (
      <>
        <SiteLink
          to="/dev/$slug/crashes"
          params={{ slug }}
          search={{ q: 'is:open', sort: 'first_seen' }}
          size="sm"
          underline="always"
          data-row
        >
          {formatItems(groups.count, 'new crash group')}
        </SiteLink>
        : <GroupLinks slug={slug} groups={groups} />
      </>
    )),
    ...itemOf('bugs', bugs.count, () => (
      <>
        <SiteLink to="/dev/$slug/bugs" params={{ slug }} size="sm" underline="always" data-row>
          {formatItems(bugs.count, 'new bug report')}
        </SiteLink>
        :{' '}
        <Listed total={bugs.count}>
          {bugs.newest.map(({ bug_uid: bugUid, number, title }) => (
            <SiteLink key={bugUid} to="/dev/$slug/bugs/$bugUid" params={{ slug, bugUid }} size="sm" underline="always">
              #{number} {cut(title)}
            </SiteLink>
          ))}
        </Listed>
      </>
    )),
    ...itemOf('refused', refused.reports + refused.events, () => (
      <>
        {formatRefused(refused)} refused because of a wrong build ID
        {refused.last_at !== null && (
          <>
            , last <Time at={refused.last_at} />
          </>
        )}
      </>
    )),
    ...changes.newest.map((change) => ({
      key: `${change.channel} ${change.action} ${change.version} ${change.by}`,
      content: <ChannelChange slug={slug} change={change} />,
    })),
    ...itemOf('changes', changes.count - changes.newest.length, (more) => (
      <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm" underline="always">
        {formatItems(more, 'more channel change')}
      </SiteLink>
    )),
  ];
}

function itemOf(key: string, count: number, content: (count: number) => ReactNode): Item[] {
  return count > 0 ? [{ key, content: content(count) }] : [];
}

function GroupLinks({ slug, groups: { count, groups } }: { slug: string; groups: News['new_groups'] }) {
  return (
    <Listed total={count}>
      {groups.map(({ group_id: groupId, title }) => (
        <SiteLink
          key={groupId}
          to="/dev/$slug/crashes/groups/$groupId"
          params={{ slug, groupId }}
          size="sm"
          underline="always"
          title={title}
        >
          {cut(title)}
        </SiteLink>
      ))}
    </Listed>
  );
}

const SHOWN_LENGTH = 60;

function cut(title: string): string {
  const characters = [...title];
  return characters.length <= SHOWN_LENGTH
    ? title
    : `${characters
        .slice(0, SHOWN_LENGTH - 1)
        .join('')
        .trimEnd()}…`;
}

/** Separates the parts with commas, and says how many are missing. */
function Listed({ total, children }: { total: number; children: readonly ReactNode[] }) {
  const more = total - children.length;
  return (
    <>
      {children.map((child, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the children have keys
        <Fragment key={index}>
          {index > 0 && ', '}
          {child}
        </Fragment>
      ))}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </>
  );
}

const ACTIONS: Readonly<Record<Change['action'], string>> = {
  advance: 'was released to',
  promote: 'was promoted to',
  rollback: 'was restored on',
  delete: 'was deleted from',
  undo: 'was restored on',
};

function ChannelChange({ slug, change: { channel, action, version, platforms, at, by } }: ChannelChangeProps) {
  return (
    <>
      <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }} size="sm" underline="always">
        {version}
      </SiteLink>{' '}
      {ACTIONS[action]}{' '}
      <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm" underline="always">
        {channel}
      </SiteLink>
      {platforms > 1 && ` on ${platforms} platforms`}
      {action !== 'advance' && ` by ${by}`} <Time at={at} />
    </>
  );
}

type ChannelChangeProps = { slug: string; change: Change };

function formatRefused({ reports, events }: News['refused']): string {
  return [
    ...(events > 0 ? [formatItems(events, 'event')] : []),
    ...(reports > 0 ? [formatItems(reports, 'crash report')] : []),
  ].join(' and ');
}
