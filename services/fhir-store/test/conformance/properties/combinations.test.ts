import { describeCombinations } from './combinations';

describeCombinations('r4');
