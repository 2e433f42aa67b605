// The box for a query in the query language, with completion. The list follows while a query without problems is typed.
// Other queries are applied once they are complete, and the page then shows the problem instead of a list.
import { MAX_QUERY_LENGTH, parseQuery } from '@chauffeur/contract/crash-query';
import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { completeQuery, type KnownValues } from './complete-query.ts';
import classes from './crashes.module.css';
import { useFacetValues } from './use-facet-values.ts';

type QueryBoxProps = {
  query: string;
  known: KnownValues;
  onChange: (query: string) => void;
};

const TYPING_DELAY_MS = 250;

export function QueryBox({ query, known, onChange }: QueryBoxProps) {
  const [text, setText] = useState(query);
  const [cursor, setCursor] = useState(query.length);
  /** The query of the last render, and the last one that came from here: other changes replace what was typed. */
  const [shown, setShown] = useState(query);
  const [applied, setApplied] = useState(query);
  if (query !== shown) {
    setShown(query);
    if (query !== applied) setText(query);
  }
  const input = useRef<HTMLInputElement>(null);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const ofFacets = useFacetValues(text, cursor);
  const { from, to, options } = completeQuery(text, cursor, { ...known, ...ofFacets });
  const apply = (typed: string) => {
    const trimmed = typed.trim();
    if (trimmed === query) return;
    setApplied(trimmed);
    onChange(trimmed);
  };
  const applySoon = useDebouncedCallback((typed: string) => {
    if (!hasProblem(typed)) apply(typed);
  }, TYPING_DELAY_MS);
  const type = (typed: string, at: number) => {
    setText(typed);
    setCursor(at);
    applySoon(typed);
  };
  const insert = (chosen: string) => {
    const typed = text.slice(0, from) + chosen + text.slice(to).replace(/^ /, '');
    const at = from + chosen.length;
    type(typed, at);
    box.resetSelectedOption();
    // After the input has its new value.
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(at, at);
    });
  };
  return (
    <Combobox store={box} onOptionSubmit={insert} withinPortal={false} position="bottom-start" width="max-content">
      <Combobox.Target>
        <TextInput
          ref={input}
          aria-label="Search crashes"
          placeholder="os:windows version:>=1.2 is:unassigned render::"
          type="search"
          size="xs"
          className={classes.query}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          maxLength={MAX_QUERY_LENGTH}
          data-search
          value={text}
          error={text.trim() === query && hasProblem(query)}
          onChange={({ currentTarget }) => {
            type(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length);
            box.openDropdown();
            box.resetSelectedOption();
          }}
          onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart ?? 0)}
          onFocus={() => box.openDropdown()}
          onClick={() => box.openDropdown()}
          onBlur={() => {
            box.closeDropdown();
            apply(text);
          }}
          onKeyDown={({ key }) => {
            // With an option selected, Enter inserts it.
            if (key !== 'Enter' || box.getSelectedOptionIndex() >= 0) return;
            apply(text);
            box.closeDropdown();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={options.length === 0}>
        <Combobox.Options aria-label="Completions" mah={280} style={{ overflowY: 'auto' }}>
          {options.map(({ insert: inserted, label, description }) => (
            <Combobox.Option key={label} value={inserted} className={classes.option}>
              <b>{label}</b> {description}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function hasProblem(query: string): boolean {
  return parseQuery(query).problems.length > 0;
}
