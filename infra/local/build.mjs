// npm run build: installs and builds what has changed.
import { prepare } from './bootstrap.mjs';

prepare();
