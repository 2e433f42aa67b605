// The search field of the store.
import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import classes from './SearchBox.module.css';
import type { BrowseFilters } from './store-queries.ts';

/** Keeps the filters that are already set. */
export function SearchBox({ q = '', os, tag }: BrowseFilters) {
  const [text, setText] = useState(q);
  const navigate = useNavigate();
  const search = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/browse', search: { q: text.trim() || undefined, os, tag } });
  };
  return (
    <search className={classes.box}>
      <form onSubmit={search} className={classes.form}>
        <TextInput
          type="search"
          aria-label="Search games"
          placeholder="Name, developer or tag"
          maxLength={200}
          className={classes.text}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
      </form>
    </search>
  );
}
