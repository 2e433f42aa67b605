// Chooses the report to compare another one with: of the same group, or any by its ID.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './compare.module.css';
import type { Crash } from './use-crash.ts';
import { useReports } from './use-reports.ts';

const REPORT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type ChooseReportProps = { game: OpenGame; first: Crash | undefined; firstId: string | undefined };

export function ChooseReport({ game, first, firstId }: ChooseReportProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const id = text.trim().toLowerCase();
  const choose = (event: FormEvent) => {
    event.preventDefault();
    const search = firstId === undefined ? { a: id } : { a: firstId, b: id };
    void navigate({ to: '/dev/$slug/crashes/compare', params: { slug: game.slug }, search });
  };
  return (
    <>
      {first !== undefined && <Text size="sm">{`Choose a report to compare with “${first.title}”.`}</Text>}
      <form onSubmit={choose}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Report ID"
            size="sm"
            className={classes.reportId}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" disabled={!REPORT_ID.test(id)}>
            Compare
          </Button>
        </Group>
      </form>
      {first?.group_id != null && <SameGroup game={game} first={first} groupId={first.group_id} />}
    </>
  );
}

function SameGroup({ game, first, groupId }: { game: OpenGame; first: Crash; groupId: string }) {
  const reports = useReports({ uid: game.game_uid, group_id: groupId, limit: 25 });
  const others = (reports.rows ?? []).map(({ item }) => item).filter(({ crash_id: id }) => id !== first.crash_id);
  return (
    <Section title="Reports of the same group">
      {reports.rows !== undefined && others.length === 0 && <Text size="sm">The group has no other reports.</Text>}
      <ul className={classes.choices}>
        {others.map((other) => (
          <li key={other.crash_id}>
            <SiteLink
              to="/dev/$slug/crashes/compare"
              params={{ slug: game.slug }}
              search={{ a: first.crash_id, b: other.crash_id }}
              size="sm"
            >
              {`${other.version || 'Unknown version'} · ${other.os || 'unknown OS'}`}
            </SiteLink>{' '}
            <Text span size="sm" c="dimmed">
              <Time at={other.received_at} />
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}
