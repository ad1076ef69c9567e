// SPDX-License-Identifier: GPL-2.0-only
// The parts of a browser that the script of a flame graph uses, with a document that is built from the
// SVG file. All other parts are undefined: a script that uses one fails.

// The script is written for current browsers, but the interpreter supports only ECMAScript 5.
if (!Array.from)
	Array.from = function (text) { return text.split(""); };

// --- Events

function Target() {
	this.listeners = {};
}

Target.prototype.addEventListener = function (type, listener) {
	(this.listeners[type] = this.listeners[type] || []).push(listener);
};

Target.prototype.hear = function (event) {
	(this.listeners[event.type] || []).forEach(function (listener) { listener(event); });
};

// --- Elements: their children are elements and strings

function Element(document, name) {
	Target.call(this);
	this.document = document;
	this.tagName = name;
	this.attributes = {};
	this.dataset = {};
	this.style = {};
	this.childNodes = [];
	this.parentNode = null;
	this.classList = new ClassList(this);
}

Element.prototype = Object.create(Target.prototype);

Element.prototype.setAttribute = function (name, value) {
	this.attributes[name] = String(value);
	if (/^data-/.test(name))
		this.dataset[name.slice(5)] = String(value);
};

Element.prototype.getAttribute = function (name) {
	return this.attributes.hasOwnProperty(name) ? this.attributes[name] : null;
};

Element.prototype.appendChild = function (child) {
	return this.insertBefore(child, null);
};

Element.prototype.insertBefore = function (child, next) {
	var at = next === null ? this.childNodes.length : this.childNodes.indexOf(next);

	if (at < 0)
		throw new Error("not a child of it");
	child.parentNode = this;
	this.childNodes.splice(at, 0, child);
	return child;
};

Object.defineProperty(Element.prototype, "id", {
	get: function () { return this.getAttribute("id") || ""; },
	set: function (value) { this.setAttribute("id", value); }
});

Object.defineProperty(Element.prototype, "textContent", {
	get: function () {
		return this.childNodes.map(function (child) {
			return typeof child === "string" ? child : child.textContent;
		}).join("");
	},
	set: function (value) { this.childNodes = [String(value)]; }
});

// Whether the element matches one word of a selector: a tag or "#id".
Element.prototype.is = function (word) {
	return word.charAt(0) === "#" ? this.id === word.slice(1) : this.tagName === word;
};

// Finds the elements below that match a tag, "#id", or a parent and its child: "#id > tag".
Element.prototype.querySelectorAll = function (selector) {
	var words = selector.split(" > "), last = words[words.length - 1], found = [];

	if (!/^#?\w+( > #?\w+)?$/.test(selector))
		throw new Error("no selector that dom.js knows: " + selector);
	(function walk(element) {
		element.childNodes.forEach(function (child) {
			if (typeof child === "string")
				return;
			if (child.is(last) && (words.length === 1 || element.is(words[0])))
				found.push(child);
			walk(child);
		});
	})(this);
	return found;
};

Element.prototype.querySelector = function (selector) {
	return this.querySelectorAll(selector)[0] || null;
};

Element.prototype.shown = function () {
	return this.style.display !== "none" && (!this.parentNode || this.parentNode.shown());
};

Element.prototype.focusable = function () {
	return (this.tagName === "input" || this.getAttribute("tabindex") !== null) && this.shown();
};

Element.prototype.focus = function () {
	if (!this.focusable() || this.document.activeElement === this)
		return;
	this.document.activeElement = this;
	this.hear({ type: "focus", target: this });
};

function ClassList(element) {
	this.element = element;
}

ClassList.prototype.contains = function (name) {
	return (this.element.getAttribute("class") || "").split(" ").indexOf(name) >= 0;
};

ClassList.prototype.toggle = function (name, on) {
	var names = (this.element.getAttribute("class") || "").split(" ").filter(function (other) {
		return other && other !== name;
	});

	this.element.setAttribute("class", (on ? names.concat(name) : names).join(" "));
};

// --- The document

// Builds a document from the list that readXml() returns.
function Document(parts) {
	Target.call(this);
	this.open = [];
	parts.forEach(this.build, this);
	this.activeElement = this.documentElement;
}

Document.prototype = Object.create(Target.prototype);

Document.prototype.build = function (part) {
	var outer = this.open[this.open.length - 1];

	if (part.open)
		this.begin(part.open, part.attributes, outer);
	else if (part.close && this.open.pop().tagName !== part.close)
		throw new Error("</" + part.close + "> closes another element");
	else if (part.text && outer)
		outer.childNodes.push(part.text);
};

Document.prototype.begin = function (name, attributes, outer) {
	var element = this.createElementNS(null, name);

	Object.keys(attributes).forEach(function (key) {
		element.setAttribute(key, attributes[key]);
	});
	if (outer)
		outer.appendChild(element);
	else
		this.documentElement = element;
	this.open.push(element);
};

Document.prototype.createElementNS = function (namespace, name) {
	return new Element(this, name);
};

Document.prototype.querySelectorAll = function (selector) {
	return this.documentElement.querySelectorAll(selector);
};

Document.prototype.getElementById = function (id) {
	return this.documentElement.querySelector("#" + id);
};
