module.exports = () => globalThis.journeySuite?.stop();
