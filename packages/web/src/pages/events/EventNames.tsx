// The names of the events that came, to choose which are charted: up to four, or one where it is split.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listEventNames } from '@chauffeur/contract/operations/events';
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MOST_SERIES, toggled } from '../../charts/series.ts';
import { sayCount, sayExactNumber } from '../../ui/say.ts';
import classes from './EventsPage.module.css';

type Known = OutputOf<typeof listEventNames>['names'];

type EventNamesProps = {
  known: Known;
  chosen: readonly string[];
  /** Only one can be chosen. */
  isOne: boolean;
  onChoose: (names: string[]) => void;
};

/** From so many on, there is a field to find one. */
const MANY = 8;

export function EventNames({ known, chosen, isOne, onChoose }: EventNamesProps) {
  const [words, setWords] = useState('');
  const found = known.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  const isFull = !isOne && chosen.length >= MOST_SERIES;
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        Choose {isOne ? 'one event' : `up to ${MOST_SERIES} events`}; counts are of the last 30 days
      </Text>
      {known.length > MANY && (
        <TextInput
          aria-label="Search events"
          placeholder="Name of an event"
          type="search"
          size="xs"
          mb={4}
          data-search
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <fieldset className={classes.names} aria-label="Events">
        {found.map(({ name, count, standard }) => {
          const isChosen = chosen.includes(name);
          return (
            <label key={name} className={classes.name}>
              <input
                type={isOne ? 'radio' : 'checkbox'}
                name="event"
                checked={isChosen}
                disabled={isFull && !isChosen}
                onChange={() => onChoose(isOne ? [name] : toggled(chosen, name))}
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
              <span title={sayExactNumber(count)}>{sayCount(count)}</span>
            </label>
          );
        })}
      </fieldset>
      {found.length === 0 && <Text size="sm">No event has this name.</Text>}
    </div>
  );
}
