-- The commit for builds of the release that are registered later. Null if its commits are of several repositories.
alter table sentry_releases add column commit text;
