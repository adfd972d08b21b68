module.exports = { hook: (x) => x };
