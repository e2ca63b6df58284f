// What the npm scripts call: node infra/local/launch.mjs PROJECT [words…] installs and builds where that is needed,
// then runs the built main program of infra/PROJECT in this process. An operator's command never installs or builds.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepare, repository, requireBuild } from './bootstrap.mjs';

const [node, , project, ...words] = process.argv;
const program = join(repository, 'infra', project, 'dist', 'main.js');
if (project === 'local' && words[0] === 'admin') requireBuild(program);
else prepare();
// As if the program had been called itself: it may run itself again by these words.
process.argv = [node, program, ...words];
createRequire(import.meta.url)(program);
