// The list in which events are selected for the chart: up to four, or one if the chart is split.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listEventNames } from '@chauffeur/contract/operations/events';
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_SERIES, toggled } from '../../charts/series.ts';
import classes from './EventsPage.module.css';

type EventName = OutputOf<typeof listEventNames>['names'][number];

type EventNamesProps = {
  events: readonly EventName[];
  selected: readonly string[];
  /** Only one event can be selected. */
  isSingle: boolean;
  onSelect: (names: string[]) => void;
};

/** A longer list has a search field. */
const MAX_WITHOUT_SEARCH = 8;

export function EventNames({ events, selected, isSingle, onSelect }: EventNamesProps) {
  const [search, setSearch] = useState('');
  const matches = events.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const isFull = !isSingle && selected.length >= MAX_SERIES;
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {isSingle
          ? 'Select one event. Counts are for the last 30 days.'
          : `Select up to ${MAX_SERIES} events. Counts are for the last 30 days.`}
      </Text>
      {events.length > MAX_WITHOUT_SEARCH && (
        <TextInput
          aria-label="Search events"
          placeholder="Event name"
          type="search"
          size="xs"
          mb={4}
          data-search
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <fieldset className={classes.names} aria-label="Events">
        {matches.map(({ name, count, standard }) => {
          const isSelected = selected.includes(name);
          return (
            <label key={name} className={classes.name}>
              <input
                type={isSingle ? 'radio' : 'checkbox'}
                name="event"
                checked={isSelected}
                disabled={isFull && !isSelected}
                onChange={() => onSelect(isSingle ? [name] : toggled(selected, name))}
              />
              <span className={classes.word}>
                {name}
                {standard && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    standard
                  </Text>
                )}
              </span>
              <span title={formatNumber(count)}>{formatCompactNumber(count)}</span>
            </label>
          );
        })}
      </fieldset>
      {matches.length === 0 && <Text size="sm">No events match.</Text>}
    </div>
  );
}
