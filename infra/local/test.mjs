// npm test: installs and builds, checks types and style, runs each project's tests, then the journeys over HTTP against the whole suite.
import { join } from 'node:path';
import { note, prepare, repository, run } from './bootstrap.mjs';

prepare();
const nx = (target, words = []) => run(process.execPath, [join(repository, 'node_modules', '.bin', 'nx'), 'run-many', '-t', target, '--outputStyle=static', ...words], `${target} failed`);
note('checking types and style (nx run-many -t lint)');
nx('lint');
note("running every project's tests (nx run-many -t test)");
nx('test', ['--exclude=@tributary/journeys']);
note('running the journeys against the whole suite');
nx('test', ['--projects=@tributary/journeys']);
note('running the journeys against the containers, where there is a Docker engine');
run(process.execPath, [join(repository, 'infra', 'compose', 'test.mjs')], 'the journeys against the containers failed');
