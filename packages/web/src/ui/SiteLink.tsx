// A link to another page of the site, in the looks of the theme.
import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

export const SiteLink = createLink(Anchor<'a'>);
