// SPDX-License-Identifier: GPL-2.0-only
// A flame graph as somebody has it before him: what he sees, and does with mouse and keyboard.

// Of what readXml() gives of its file.
function Page(parts) {
	this.document = new Document(parts);
	this.window = new Target();
	this.window.innerWidth = 1200;
}

// The script as it is in the file.
Page.prototype.run = function () {
	var script = this.document.querySelectorAll("script")[0].textContent;

	new Function("document", "window", script)(this.document, this.window);
	return this;
};

// --- Seen

Page.prototype.boxes = function () {
	return this.document.querySelectorAll("#boxes > g");
};

// That of a name, of a depth if there are several; else the one that comes first.
Page.prototype.box = function (name, depth) {
	return this.boxes().filter(function (g) {
		return g.dataset.n === name && (depth === undefined || +g.dataset.d === depth);
	})[0];
};

Page.prototype.id = function (id) {
	return this.document.getElementById(id);
};

Page.prototype.status = function () {
	return this.id("status").textContent;
};

Page.prototype.input = function () {
	return this.document.querySelectorAll("input")[0];
};

Page.prototype.focused = function () {
	return this.document.activeElement;
};

// --- Done

// From the element up; false if the script kept the browser from what it does itself.
Page.prototype.fire = function (type, target, more) {
	var event = { type: type, target: target }, prevented = false;

	Object.keys(more || {}).forEach(function (key) { event[key] = more[key]; });
	event.preventDefault = function () { prevented = true; };
	for (var at = target; at; at = at.parentNode)
		at.hear(event);
	this.document.hear(event);
	this.window.hear(event);
	return !prevented;
};

// The button goes down: what can have the focus has it. Then it goes up.
Page.prototype.click = function (element) {
	var at = element;

	if (!element.shown())
		throw new Error("nobody can click on what is hidden");
	while (at && !at.focusable())
		at = at.parentNode;
	if (at)
		at.focus();
	else
		this.document.activeElement = this.document.documentElement;
	this.fire("click", element);
};

Page.prototype.press = function (key, more) {
	var event = { key: key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

	Object.keys(more || {}).forEach(function (name) { event[name] = more[name]; });
	return this.fire("keydown", this.focused(), event);
};

Page.prototype.type = function (text) {
	this.input().value = text;
	this.fire("input", this.input());
};

Page.prototype.resize = function (width) {
	this.window.innerWidth = width;
	this.window.hear({ type: "resize", target: this.window });
};
