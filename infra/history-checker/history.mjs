// npm run test:history: makes sure that everything is installed and built, then hands over to the built program.
import { createRequire } from 'node:module';
import { prepare } from '../local/bootstrap.mjs';

prepare();
createRequire(import.meta.url)('./dist/main.js');
