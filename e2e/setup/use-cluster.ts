// Makes the suites of this process run on a cluster. Imported before them.
process.env.CHAUFFEUR_TEST_CLUSTER = '1';
